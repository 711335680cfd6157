/** The newsroom's departments, as the server names and orders them (PRODUCT.md §11). */
import type { Option } from '../../shared/ui/select';
import { useRead } from './use-read';

const STALE_MS = 30_000;

/** The key of the department that gets what no other does. It stands last, and only its name changes. */
export const GENERAL = 'generale';

/** Characters of a name, at most. */
export const NAME_CHARS = 40;
/** Departments beside the general one, at most. */
export const MOST = 24;

interface Named {
  key: string;
  name: string;
}

export interface Departments {
  /** Those whose reports one sees. */
  seen: readonly Named[];
  /** Those, then the others, to which a report can be moved out of sight. */
  all: readonly Named[];
  /** Nothing until they are known, and the key of one that there is not. */
  nameOf: (key: string) => string;
}

export function useDepartments(): Departments {
  const { data } = useRead('/departments', { background: true, staleTime: STALE_MS });
  const seen = data?.data ?? [];
  const all = [...seen, ...(data?.others ?? [])];
  return { seen, all, nameOf: (key) => all.find((one) => one.key === key)?.name ?? (data ? key : '') };
}

export const optionsOf = (departments: readonly Named[]): readonly Option<string>[] =>
  departments.map(({ key, name }) => ({ value: key, label: name }));
