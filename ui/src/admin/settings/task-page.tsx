import type { ComponentType } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { type SettingsPage, TITLES } from '../common/settings-pages';
import type { SectionName } from './api';
import { type Cards, SettingsCard } from './controls';
import { SettingsForm, SettingsOf, type SettingValues } from './settings-page';
import styles from './settings-page.module.css';

type Bodies = Readonly<Partial<Record<SettingsPage, ComponentType>>>;

interface TaskPageProps {
  section: SectionName;
  cards: Cards<SettingValues>;
  /** Its pages that are more than a card of settings. */
  forms: Bodies;
  bare?: Bodies;
}

export function TaskPage({ section, cards, forms, bare = {} }: TaskPageProps) {
  const page = useLocation().pathname.slice(paths.settings.length + 1) as SettingsPage;
  const [card, Form, Bare] = [cards[page], forms[page], bare[page]];
  if (!Object.hasOwn(TITLES, page)) {
    return <Navigate to={paths.settings} replace />;
  }
  return (
    <Page key={page} title={TITLES[page]} back={paths.settings} backLabel="Impostazioni">
      <div className={styles.column}>
        {card ? (
          <SettingsOf section={section} page={page} cards={cards}>
            {Form ? (
              <Form />
            ) : (
              <SettingsForm>
                <SettingsCard of={card} />
              </SettingsForm>
            )}
          </SettingsOf>
        ) : null}
        {Bare ? <Bare /> : null}
      </div>
    </Page>
  );
}
