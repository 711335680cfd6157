/** What the settings read and change, and what of the cache each change makes stale. */
import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { call } from '../../shared/api/client';
import type { EmailSettings, Security, SystemSettings } from '../../shared/api/schema';
import type { Changes } from '../common/forms/kept';
import { adopt, useRead } from '../common/use-read';

/** Each with the fields that a save may leave out: the server always answers with them. */
export interface Sections {
  email: Required<EmailSettings>;
  security: Security;
  system: Required<SystemSettings>;
}
export type SectionName = keyof Sections;

export const useSection = (section: SectionName): UseQueryResult<Sections[SectionName]> =>
  useRead(`/settings/${section}`) as UseQueryResult<Sections[SectionName]>;

/** Saves changes of a section, and gives it as it is stored. */
export function useSaveSection(section: SectionName) {
  const client = useQueryClient();
  return async (changes: Changes, confirm: boolean): Promise<Sections[SectionName]> => {
    const saved = await call('put', `/settings/${section}`, {
      body: changes as Security,
      query: confirm ? { confirm } : {},
    });
    void client.invalidateQueries({ queryKey: ['/retention'] });
    void client.invalidateQueries({ queryKey: ['/settings/desk'] });
    return adopt(client, [`/settings/${section}`], saved as Sections[SectionName], ['/logs']);
  };
}
