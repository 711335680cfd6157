/** The sections of the settings: read, saved, and as their forms hold them. Must give back the server's types. */
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useMemo } from 'react';
import { useWatch } from 'react-hook-form';
import { call } from '../../shared/api/client';
import type { EmailSettings, Security, SystemSettings } from '../../shared/api/schema';
import { announceBranding } from '../common/branding-keeper';
import type { Changes } from '../common/forms/kept';
import { type SavedForm, useSavedForm } from '../common/forms/use-saved-form';
import { isBackground } from '../common/polling';
import { adopt } from '../common/use-read';

/** Each with the fields that a save may leave out: the server always answers with them, or they are blank. */
export interface Sections {
  email: Required<EmailSettings>;
  security: Security;
  system: Required<SystemSettings>;
}
export type SectionName = keyof Sections;
export type EmailSection = Sections['email'];

/** A section as a form holds it: numbers as they are typed. */
export type FormOf<S> = { [K in keyof S]: S[K] extends number ? string : S[K] };
export type EmailForm = FormOf<Sections['email']>;

const BLANK = {
  email: { smtpPassword: null, smtpPasswordSet: false },
  security: {},
  system: { webhookApiKey: null, webhookApiKeySet: false, webhookSecretSet: false },
};

const pathOf = (name: SectionName): `/settings/${SectionName}` => `/settings/${name}`;
const keyOf = (name: SectionName) => [pathOf(name)];

export function useSection<N extends SectionName>(name: N): UseQueryResult<Sections[N]> {
  return useQuery({
    queryKey: keyOf(name),
    queryFn: async ({ client, queryKey, signal }) => {
      const background = isBackground(client, queryKey);
      const answer = await call('get', pathOf(name), { background, signal });
      return { ...BLANK[name], ...answer } as Sections[N];
    },
  });
}

/** Something of the section has changed without a save of its form; the log has an entry more. */
export function useSectionChanged(name: SectionName): () => void {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: keyOf(name) });
    void client.invalidateQueries({ queryKey: ['/logs'] });
  };
}

function formOf<S extends object>(section: S): FormOf<S> {
  const fields = Object.entries(section).map(([key, value]) => [
    key,
    typeof value === 'number' ? String(value) : value,
  ]);
  return Object.fromEntries(fields) as FormOf<S>;
}

/**
 * Changed fields as the server wants them. What is no number stays the text it is: the server then names the field and
 * what is wrong with it.
 */
export function changesFor<S extends object>(changes: Changes, section: S): S {
  const fields = Object.entries(changes).map(([key, value]) => {
    const numeric = typeof section[key as keyof S] === 'number';
    return [key, numeric && /^\s*\d+\s*$/.test(String(value)) ? Number(value) : value];
  });
  // The generated type marks fields with a default as present; a save needs only those that change.
  return Object.fromEntries(fields) as S;
}

export type SettingsForm<N extends SectionName = SectionName> = SavedForm<FormOf<Sections[N]>>;

/** The form over a section. `confirm` saves even an allow-list that shuts the saver out. */
export function useSettingsForm<N extends SectionName>(
  name: N,
  section: Sections[N],
  success: string,
): SettingsForm<N> {
  const client = useQueryClient();
  return useSavedForm<FormOf<Sections[N]>>({
    name,
    saved: useMemo(() => formOf(section), [section]),
    send: async (changes, confirm) => {
      const body = changesFor(changes, section);
      const answer = await call('put', pathOf(name), { body, query: confirm ? { confirm } : {} } as never);
      if (name === 'system') {
        announceBranding();
      } else if (name === 'security') {
        void client.invalidateQueries({ queryKey: ['/retention'] });
      }
      const saved = { ...BLANK[name], ...(answer as object) } as Sections[N];
      return formOf(await adopt(client, keyOf(name), saved, ['/logs']));
    },
    success,
  });
}

const SettingsContext = createContext<SettingsForm | null>(null);
export const SettingsProvider = SettingsContext.Provider;

export interface Settings<N extends SectionName> extends SettingsForm<N> {
  /** What the form holds at present. */
  values: FormOf<Sections[N]>;
  /** What the server holds. */
  saved: FormOf<Sections[N]>;
}

/** The form of the page, as it stands. */
export function useSettings<N extends SectionName>(): Settings<N> {
  const context = useContext(SettingsContext);
  if (!context) {
    throw new Error('a setting needs a settings page around it');
  }
  const settings = context as unknown as SettingsForm<N>;
  const values = useWatch({ control: settings.form.control }) as FormOf<Sections[N]>;
  return { ...settings, values, saved: settings.form.formState.defaultValues as FormOf<Sections[N]> };
}
