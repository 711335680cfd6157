import type { ReactNode } from 'react';
import { Card } from '../../shared/ui/card';
import { Stack } from '../../shared/ui/layout';
import { Skeleton } from '../../shared/ui/skeleton';
import { RecoveredNotice, SaveBar } from '../common/forms/save-bar';
import { useLeaveGuard } from '../common/leave-guard';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { type SectionName, type Sections, type SettingsForm, SettingsProvider, useSection } from './section';
import styles from './settings-page.module.css';

const TITLES: Readonly<Record<SectionName, string>> = {
  email: 'Configurazione Email',
  security: 'Configurazione Sicurezza',
  system: 'Configurazione Sistema',
};

interface SettingsPageProps<N extends SectionName> {
  name: N;
  subtitle: string;
  children: (section: Sections[N]) => ReactNode;
}

/** Frame of a settings screen: its heading at once, its form as soon as the settings are there. */
export function SettingsPage<N extends SectionName>({ name, subtitle, children }: SettingsPageProps<N>) {
  return (
    <Page title={TITLES[name]} subtitle={subtitle}>
      <div className={styles.column}>
        <Loaded
          query={useSection(name)}
          failed="Non è stato possibile caricare le impostazioni"
          loading="Caricamento delle impostazioni…"
          placeholder={
            <Card>
              <Skeleton lines={9} tall />
            </Card>
          }
        >
          {children}
        </Loaded>
      </div>
    </Page>
  );
}

interface SettingsEditorProps<N extends SectionName> {
  form: SettingsForm<N>;
  /** What is lost by leaving, such as 'le impostazioni email'. */
  about: string;
  /** What is otherwise for the save bar. */
  bar?: Partial<Pick<SettingsForm<N>, 'failure' | 'save'>>;
  /** The cards, one below the other. */
  children: ReactNode;
}

/** The form of a settings screen, with the bar that saves it. */
export function SettingsEditor<N extends SectionName>({
  form,
  about,
  bar,
  children,
}: SettingsEditorProps<N>) {
  useLeaveGuard(form.dirty, `Hai modificato ${about}. Se esci adesso, le modifiche vanno perse.`);
  return (
    <SettingsProvider value={form as unknown as SettingsForm}>
      <Stack gap={6} ref={form.area}>
        <RecoveredNotice form={form} />
        {children}
      </Stack>
      <SaveBar form={{ ...form, ...bar }} failureTitle="Errore nel salvataggio delle impostazioni" />
    </SettingsProvider>
  );
}
