import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { type Answer, call } from '../../shared/api/client';
import type {
  EmailSettings,
  NewPerson,
  PersonChange,
  SealedMode,
  Security,
  SystemSettings,
} from '../../shared/api/schema';
import { announceBranding } from '../common/branding-keeper';
import type { FieldChanges } from '../common/forms/kept';
import { adopt, keyOf, useRead, useRefresh } from '../common/use-read';

/** Each with the fields that a save may leave out: the server always answers with them. */
export interface Sections {
  email: Required<EmailSettings>;
  security: Security;
  system: Required<SystemSettings>;
}
export type SectionName = keyof Sections;

export const useSection = (section: SectionName): UseQueryResult<Sections[SectionName]> =>
  useRead(`/settings/${section}`) as UseQueryResult<Sections[SectionName]>;

export function useSaveSection(section: SectionName) {
  const client = useQueryClient();
  const refresh = useRefresh();
  return async (changes: FieldChanges, confirm: boolean): Promise<Sections[SectionName]> => {
    const saved = await call('put', `/settings/${section}`, {
      body: changes as Security,
      query: confirm ? { confirm } : {},
    });
    announceBranding();
    void refresh('/retention', '/settings/desk');
    return adopt(client, keyOf(`/settings/${section}`), saved as Sections[SectionName], keyOf('/logs'));
  };
}

/** Longest waits in milliseconds: a picture over a slow line; a mail server, longer than the server itself waits for it; a webhook. */
const UPLOAD_MS = 60_000;
const MAIL_MS = 90_000;
const WEBHOOK_MS = 20_000;
/** Opening and routing five hundred reports takes a while. */
const DRY_RUN_MS = 60_000;

/** The contract marks fields with a default as present; a trial sends only those that it is about. */
export const tryMail = (typed: Partial<EmailSettings>) =>
  call('post', '/settings/email/test', { body: typed as EmailSettings, timeoutMs: MAIL_MS });
export const tryWebhook = (typed: Partial<SystemSettings>) =>
  call('post', '/settings/webhook/test', { body: typed as SystemSettings, timeoutMs: WEBHOOK_MS });
export const tryRouting = (typed: Partial<EmailSettings>) =>
  call('post', '/routing/dry-run', { body: typed as EmailSettings, timeoutMs: DRY_RUN_MS });

/** Every setting back to its default; the page is loaded anew afterwards. */
export async function resetSettings(): Promise<void> {
  await call('delete', '/settings', {});
  announceBranding();
}

export function useLogo() {
  const refresh = useRefresh();
  const done = () => {
    announceBranding();
    void refresh();
  };
  return {
    save: (image: string) =>
      call('put', '/settings/logo', { body: { image }, timeoutMs: UPLOAD_MS }).then(done),
    remove: () => call('delete', '/settings/logo', {}).then(done),
  };
}

export function useSigningKey() {
  const refresh = useRefresh();
  return {
    /** Gives the key, which cannot be read again. */
    renew: async (): Promise<string> => {
      const { secret } = await call('post', '/settings/webhook/secret', {});
      await refresh('/settings/system');
      void refresh('/logs');
      return secret;
    },
    remove: async () => {
      await call('delete', '/settings/webhook/secret', {});
      void refresh();
    },
  };
}

export function useSealedMode() {
  const client = useQueryClient();
  const take = (mode: SealedMode) => adopt(client, keyOf('/security/sealed'), mode, keyOf('/logs'));
  return {
    leave: () => call('delete', '/security/sealed', {}).then(take),
    enter: (recoveryCode: string) => call('post', '/security/sealed', { body: { recoveryCode } }).then(take),
  };
}

export function useForgetMoves() {
  const client = useQueryClient();
  return async () =>
    adopt(client, keyOf('/routing/memory'), await call('delete', '/routing/memory', {}), keyOf('/logs'));
}

export function useClearLog() {
  const refresh = useRefresh();
  return async () => {
    await call('delete', '/logs', {});
    await refresh('/logs');
  };
}

export type Member = Answer<'/people'>['data'][number];

export function usePeopleChanges() {
  const refresh = useRefresh();
  const done = async <T>(answer: T): Promise<T> => {
    void refresh('/colleagues');
    await refresh('/people');
    return answer;
  };
  const path = ({ id }: Member) => ({ path: { id } });
  return {
    add: (body: NewPerson) => call('post', '/people', { body }).then(({ invitation }) => done(invitation)),
    change: (person: Member, body: PersonChange) =>
      call('patch', '/people/{id}', { ...path(person), body }).then(done),
    invite: (person: Member) =>
      call('post', '/people/{id}/invitation', path(person)).then(({ invitation }) => done(invitation)),
    remove: (person: Member) => call('delete', '/people/{id}', path(person)).then(done),
  };
}
