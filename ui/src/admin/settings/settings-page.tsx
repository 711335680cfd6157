import { createContext, type ReactNode } from 'react';
import { type FieldValues, useWatch } from 'react-hook-form';
import { Link } from 'react-router-dom';
import { Stack } from '../../shared/ui/layout';
import { RecoveredNotice, SaveBar } from '../common/forms/save-bar';
import { type SavedForm, useSavedForm } from '../common/forms/use-saved-form';
import { useLeaveGuard } from '../common/leave-guard';
import { Loaded } from '../common/loaded';
import { paths } from '../common/paths';
import { type SettingsPage, TITLES } from '../common/settings-pages';
import { useNeeded } from '../common/use-needed';
import { type SectionName, type Sections, useSaveSection, useSection } from './api';

const ABOUT: Readonly<Record<SectionName, string>> = {
  email: 'email',
  security: 'di sicurezza',
  system: 'di sistema',
};

export type SettingValues = Readonly<Record<string, unknown>>;

interface SettingsOfProps {
  section: SectionName;
  page: SettingsPage;
  cards: Readonly<Partial<Record<SettingsPage, object>>>;
  children: ReactNode;
}

export function SettingsOf(props: SettingsOfProps) {
  return (
    <Loaded
      query={useSection(props.section)}
      failed="Non è stato possibile caricare le impostazioni"
      loading="Caricamento delle impostazioni…"
      lines={9}
    >
      {(saved) => <Opened {...props} saved={saved} />}
    </Loaded>
  );
}

function Opened({ section, page, cards, saved, children }: SettingsOfProps & { saved: FieldValues }) {
  const save = useSaveSection(section);
  const about = ABOUT[section];
  const form = useSavedForm<FieldValues>({
    name: page,
    saved,
    send: save,
    success: `Impostazioni ${about} salvate con successo!`,
  });
  useLeaveGuard(
    form.dirty,
    `Hai modificato le impostazioni ${about}. Se esci adesso, le modifiche vanno perse.`,
  );
  const pageOf = (field: string) => namesIn(cards).find((one) => Object.hasOwn(cards[one] ?? {}, field));
  return <SettingsContext value={{ ...form, page, pageOf }}>{children}</SettingsContext>;
}

const namesIn = (cards: SettingsOfProps['cards']) => Object.keys(cards) as SettingsPage[];

interface OpenSection extends SavedForm<FieldValues> {
  page: SettingsPage;
  pageOf: (field: string) => SettingsPage | undefined;
}

const SettingsContext = createContext<OpenSection | null>(null);
const useSectionForm = () => useNeeded(SettingsContext, 'a setting');

interface Settings<S> extends SavedForm<FieldValues> {
  /** The present values of the form; an invalid number is kept as text. */
  values: S;
  saved: S;
}

/** The form around; `N` says of which section it is, for what reads its values by name. */
export function useSettings(): Settings<SettingValues>;
export function useSettings<N extends SectionName>(): Settings<Sections[N]>;
export function useSettings(): Settings<FieldValues> {
  const form = useSectionForm();
  const values = useWatch({ control: form.form.control });
  return { ...form, values, saved: form.form.formState.defaultValues ?? {} };
}

interface SettingsFormProps {
  bar?: Partial<Pick<SavedForm<FieldValues>, 'failure' | 'save'>>;
  children: ReactNode;
}

export function SettingsForm({ bar, children }: SettingsFormProps) {
  const form = useSectionForm();
  const elsewhere = (field: string) => {
    const page = form.pageOf(field);
    return page && page !== form.page ? <Link to={paths.setting(page, field)}>{TITLES[page]}</Link> : null;
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
