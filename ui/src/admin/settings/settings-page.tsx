/** Settings, read, edited and saved by one form a page. Must leave every judgement to the server. */
import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import { useWatch } from 'react-hook-form';
import { Link, useLocation } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { EmailSettings, Security, SystemSettings } from '../../shared/api/schema';
import { Card } from '../../shared/ui/card';
import { Stack } from '../../shared/ui/layout';
import { Skeleton } from '../../shared/ui/skeleton';
import { announceBranding } from '../common/branding-keeper';
import { RecoveredNotice, SaveBar } from '../common/forms/save-bar';
import { type SavedForm, useSavedForm } from '../common/forms/use-saved-form';
import { useLeaveGuard } from '../common/leave-guard';
import { Loaded } from '../common/loaded';
import { paths, type SettingsPage } from '../common/paths';
import { adopt, useRead } from '../common/use-read';
import { pageOf, TITLES } from './titles';

/** Each with the fields that a save may leave out: the server always answers with them. */
export interface Sections {
  email: Required<EmailSettings>;
  security: Security;
  system: Required<SystemSettings>;
}
export type SectionName = keyof Sections;

const ABOUT: Readonly<Record<SectionName, string>> = {
  email: 'email',
  security: 'di sicurezza',
  system: 'di sistema',
};

interface SettingsOfProps {
  section: SectionName;
  /** Draws a `SettingsForm` of some of them. */
  page: SettingsPage;
  children: ReactNode;
}

export function SettingsOf({ section, page, children }: SettingsOfProps) {
  return (
    <Loaded
      query={useRead(`/settings/${section}`) as UseQueryResult<Sections[SectionName]>}
      failed="Non è stato possibile caricare le impostazioni"
      loading="Caricamento delle impostazioni…"
      placeholder={
        <Card>
          <Skeleton lines={9} tall />
        </Card>
      }
    >
      {(held) => (
        <Opened name={section} page={page} section={held}>
          {children}
        </Opened>
      )}
    </Loaded>
  );
}

interface OpenedProps<N extends SectionName> {
  name: N;
  page: SettingsPage;
  section: Sections[N];
  children: ReactNode;
}

function Opened<N extends SectionName>({ name, page, section, children }: OpenedProps<N>) {
  const client = useQueryClient();
  const about = ABOUT[name];
  // Of the sections one, for the types: what is sent and answered is the same for each.
  const path = `/settings/${name}` as '/settings/email';
  const form = useSavedForm<Sections[N]>({
    name: page,
    saved: section,
    send: async (changes, confirm) => {
      const options = { body: changes, query: confirm ? { confirm } : {} } as never;
      const saved = (await call('put', path, options)) as unknown as Sections[N];
      announceBranding();
      void client.invalidateQueries({ queryKey: ['/retention'] });
      void client.invalidateQueries({ queryKey: ['/settings/desk'] });
      return adopt(client, [path], saved, ['/logs']);
    },
    success: `Impostazioni ${about} salvate con successo!`,
  });
  useLeaveGuard(
    form.dirty,
    `Hai modificato le impostazioni ${about}. Se esci adesso, le modifiche vanno perse.`,
  );
  return <SettingsContext value={form as unknown as SavedForm<never>}>{children}</SettingsContext>;
}

const SettingsContext = createContext<SavedForm<never> | null>(null);

interface Settings<S extends object> extends SavedForm<S> {
  /** What the form holds at present; a number that is none, as the text it is. */
  values: S;
  saved: S;
}

export function useSettings<N extends SectionName>(): Settings<Sections[N]> {
  const context = useContext(SettingsContext);
  if (!context) {
    throw new Error('a setting needs a settings page around it');
  }
  const form = context as unknown as SavedForm<Sections[N]>;
  const values = useWatch({ control: form.form.control }) as Sections[N];
  return { ...form, values, saved: form.form.formState.defaultValues as unknown as Sections[N] };
}

interface SettingsFormProps {
  /** What is otherwise for the save bar. */
  bar?: Partial<Pick<SavedForm<never>, 'failure' | 'save'>>;
  children: ReactNode;
}

export function SettingsForm({ bar, children }: SettingsFormProps) {
  const form = useSettings();
  const place = useLocation().pathname;
  const elsewhere = (field: string) => {
    const page = pageOf(field);
    const there = page && !place.endsWith(page);
    return there ? <Link to={paths.setting(page, field)}>{TITLES[page]}</Link> : null;
  };
  return (
    <>
      <Stack gap={6} ref={form.area}>
        <RecoveredNotice form={form} />
        {children}
      </Stack>
      <SaveBar
        form={{ ...form, ...bar }}
        failureTitle="Errore nel salvataggio delle impostazioni"
        elsewhere={elsewhere}
      />
    </>
  );
}
