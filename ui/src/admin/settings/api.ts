import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { type Answer, call } from '../../shared/api/client';
import type {
  DepartmentChange,
  EmailSettings,
  NewDepartment,
  NewPerson,
  PersonChange,
  Security,
  SystemSettings,
} from '../../shared/api/schema';
import { announceBranding } from '../common/branding-keeper';
import type { FieldChanges } from '../common/kept';
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

export type DepartmentList = Answer<'/departments'>;

const MOVING_MS = 1000;

/** Read again while reports are on their way out of a department that was removed. */
export const useDepartmentList = () =>
  useRead('/departments', {
    background: true,
    refetchInterval: ({ state }) => (state.data?.moving ? MOVING_MS : false),
  });

/** Changes of the list, over the version that is on screen. */
export function useDepartmentChanges({ version }: DepartmentList) {
  const client = useQueryClient();
  const refresh = useRefresh();
  const ifMatch = version;
  const done = async (asked: Promise<DepartmentList | undefined>) => {
    try {
      const list = await asked;
      await (list ? adopt(client, keyOf('/departments'), list) : refresh('/departments'));
    } finally {
      // Names stand everywhere; and after a refusal the list on screen may be an old one.
      void refresh();
    }
  };
  return {
    add: (body: NewDepartment) => done(call('post', '/departments', { body, ifMatch })),
    change: (key: string, body: DepartmentChange) =>
      done(call('patch', '/departments/{key}', { path: { key }, body, ifMatch })),
    reorder: (keys: string[]) => done(call('put', '/departments/order', { body: { keys }, ifMatch })),
    /** Done when nothing new goes there; its reports follow. */
    remove: (key: string, to: string) =>
      done(
        call('delete', '/departments/{key}', { path: { key }, query: { to }, ifMatch }).then(() => undefined),
      ),
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
