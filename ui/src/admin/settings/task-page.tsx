/** A page of the settings. An address that names none leads to the index. */
import type { ComponentType } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { Page } from '../common/page';
import { paths, type SettingsPage } from '../common/paths';
import { type SectionName, SettingsOf } from './settings-page';
import styles from './settings-page.module.css';
import { TITLES } from './titles';

type Bodies = Readonly<Partial<Record<SettingsPage, ComponentType>>>;

interface TaskPageProps {
  section: SectionName;
  /** The pages that change its settings. */
  forms: Bodies;
  /** Those that do without. */
  bare?: Bodies;
}

export function TaskPage({ section, forms, bare = {} }: TaskPageProps) {
  const page = useLocation().pathname.slice(paths.settings.length + 1) as SettingsPage;
  const [Form, Bare] = [forms[page], bare[page]];
  if (!Object.hasOwn(TITLES, page)) {
    return <Navigate to={paths.settings} replace />;
  }
  return (
    <Page key={page} title={TITLES[page]} back={paths.settings} backLabel="Impostazioni">
      <div className={styles.column}>
        {Form ? (
          <SettingsOf section={section} page={page}>
            <Form />
          </SettingsOf>
        ) : null}
        {Bare ? <Bare /> : null}
      </div>
    </Page>
  );
}
