import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Skeleton } from '../../shared/ui/skeleton';
import { ErrorCard } from '../common/error-card';
import { Loading } from '../common/loading';
import { Page } from '../common/page';
import styles from './settings-page.module.css';

interface SettingsPageProps<S> {
  title: string;
  subtitle: string;
  section: UseQueryResult<S>;
  children: (section: S) => ReactNode;
}

/** Frame of a settings screen: its heading at once, its form as soon as the settings are there. */
export function SettingsPage<S>({ title, subtitle, section, children }: SettingsPageProps<S>) {
  return (
    <Page title={title} subtitle={subtitle}>
      <div className={styles.column}>
        {section.data ? (
          children(section.data)
        ) : section.isError ? (
          <ErrorCard
            title="Non è stato possibile caricare le impostazioni"
            error={section.error}
            onRetry={() => void section.refetch()}
          />
        ) : (
          <Loading label="Caricamento delle impostazioni…">
            <div className={styles.placeholder}>
              <Skeleton lines={9} tall />
            </div>
          </Loading>
        )}
      </div>
    </Page>
  );
}

/** The cards of a form, one below the other. */
export const cardsClass: string = styles.cards ?? '';
/** The settings of a card, one below the other. */
export const stackClass: string = styles.stack ?? '';
