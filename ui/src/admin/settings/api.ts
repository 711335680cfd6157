import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { type Answer, call } from '../../shared/api/client';
import type {
  EmailSettings,
  NewPerson,
  PersonChange,
  Security,
  SystemSettings,
} from '../../shared/api/schema';
import { announceBranding } from '../common/branding-keeper';
import type { DeskFields } from '../common/departments';
import type { FieldChanges } from '../common/kept';
import { adopt, keyOf, useRead, useRefresh } from '../common/use-read';

/** Each with the fields that a save may leave out: the server always answers with them. */
export interface Sections {
  email: Required<EmailSettings> & DeskFields;
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
