/** The people of the newsroom, as everybody who is logged in may know them: names, nothing else. */
import type { Option } from '../../../shared/ui/select';
import { useRights } from '../session/session-context';
import type { Who } from '../session/session-store';
import { useRead } from '../use-read';

const STALE_MS = 30_000;

export type Role = Who['role'];

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  amministratore: 'Amministratore',
  redattore: 'Redattore',
  lettore: 'Lettore',
};

export interface People {
  /** Those who are there, also those who only read; empty where there are none but the shared password. */
  present: readonly { id: string; name: string; edits: boolean }[];
  /** Also of a removed person; undefined for an unknown id. */
  nameOf: (id: string | null | undefined) => string | undefined;
}

export function usePeople(): People {
  const data = useRead('/colleagues', { background: true, staleTime: STALE_MS }).data?.data ?? [];
  return {
    present: data.filter(({ gone }) => !gone),
    nameOf: (id) => data.find((one) => one.id === id)?.name,
  };
}

/** Those beside oneself who may see a report. */
export function useOthers(report: string): People['present'] {
  const { who } = useRights();
  const data = useRead('/colleagues', { with: { query: { report } }, background: true, staleTime: STALE_MS })
    .data?.data;
  return (data ?? []).filter(({ id, gone }) => !gone && id !== who?.id);
}

/** Those who may be given a report. */
export function usePeopleOptions(): readonly Option<string>[] {
  const { present } = usePeople();
  const { who } = useRights();
  const isMe = (id: string) => id === who?.id;
  return present
    .filter(({ edits }) => edits)
    .map(({ id, name }) => ({ value: id, label: isMe(id) ? `${name} (io)` : name }))
    .sort((one, other) => Number(isMe(other.value)) - Number(isMe(one.value)));
}

/** The initials of the first and the last word of a name: `AR` for Anna Maria Rossi. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/u);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word) => [...(word ?? '')][0]?.toLocaleUpperCase('it-IT') ?? '').join('');
}

/** A user name that says whose it is: `anna.rossi`. */
export function userNameOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '.').replace(/^\.|\.$/g, '');
}
