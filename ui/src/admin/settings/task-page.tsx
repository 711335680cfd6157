import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { type SettingsPage, TITLES } from '../common/settings-pages';
import type { SectionName } from './api';
import { type Cards, SettingsCard } from './controls';
import { SettingsForm, SettingsOf, type SettingValues } from './settings-page';
import styles from './settings-page.module.css';

/** Further content of a page: in its card of settings, above and below it, in place of it, and in place of the page. */
interface Around {
  title?: string;
  head?: ReactNode;
  foot?: ReactNode;
  above?: ReactNode;
  below?: ReactNode;
  form?: ReactNode;
  bare?: ReactNode;
}

interface TaskPageProps {
  section: SectionName;
  cards: Cards<SettingValues>;
  around: Readonly<Partial<Record<SettingsPage, Around>>>;
}

export function TaskPage({ section, cards, around }: TaskPageProps) {
  const page = useLocation().pathname.slice(paths.settings.length + 1) as SettingsPage;
  const card = cards[page];
  const { title, head, foot, above, below, form, bare } = around[page] ?? {};
  if (!Object.hasOwn(TITLES, page)) {
    return <Navigate to={paths.settings} replace />;
  }
  return (
    <Page key={page} title={TITLES[page]} back={paths.settings} backLabel="Impostazioni">
      <div className={styles.column}>
        {card ? (
          <SettingsOf section={section} page={page} cards={cards}>
            {form ?? (
              <SettingsForm>
                {above}
                <SettingsCard title={title} of={card} before={head}>
                  {foot}
                </SettingsCard>
                {below}
              </SettingsForm>
            )}
          </SettingsOf>
        ) : null}
        {bare}
      </div>
    </Page>
  );
}
