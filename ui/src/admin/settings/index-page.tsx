import { Link } from 'react-router-dom';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { ErrorCard } from '../common/error-card';
import { Fold } from '../common/fold';
import { Page } from '../common/page';
import { paths, type SettingsPage } from '../common/paths';
import { useRead } from '../common/use-read';
import type { Sections } from './api';
import { useExamination } from './health-card';
import styles from './settings-page.module.css';
import { type SettingsOverview, STATES } from './states';
import { ADVANCED, GROUPS, TITLES } from './titles';

export function SettingsIndex() {
  const background = { background: true };
  const reads = {
    email: useRead('/settings/email'),
    security: useRead('/settings/security'),
    system: useRead('/settings/system'),
    backups: useRead('/system/backups', background),
    examination: useExamination(false),
    sealed: useRead('/security/sealed', background),
    sieges: useRead('/sieges', background),
    people: useRead('/people', background),
  };
  const failed = Object.values(reads).filter(({ data, isError }) => data === undefined && isError);
  const known: SettingsOverview = {
    email: reads.email.data as Sections['email'],
    security: reads.security.data,
    system: reads.system.data as Sections['system'],
    backups: reads.backups.data,
    examination: reads.examination.data,
    sealed: reads.sealed.data,
    sieges: reads.sieges.data,
    people: reads.people.data,
  };
  return (
    <Page title="Impostazioni">
      {failed[0] ? (
        <ErrorCard
          title="Non è stato possibile leggere come stanno le impostazioni"
          error={failed[0].error}
          onRetry={() => {
            for (const { refetch } of failed) {
              void refetch();
            }
          }}
        />
      ) : null}
      <div className={styles.groups}>
        {GROUPS.map(({ title, pages }) => (
          <Card key={title} title={title}>
            <Tasks label={title} pages={pages} known={known} />
          </Card>
        ))}
      </div>
      <Fold title="Avanzate" note={ADVANCED.map((page) => TITLES[page]).join(', ')}>
        <Tasks label="Avanzate" pages={ADVANCED} known={known} />
      </Fold>
    </Page>
  );
}

function Tasks({
  label,
  pages,
  known,
}: {
  label: string;
  pages: readonly SettingsPage[];
  known: SettingsOverview;
}) {
  return (
    <Stack as="ul" lined aria-label={label}>
      {pages.map((page) => {
        const said = STATES[page](known);
        return (
          <Row as="li" key={page} className={styles.task} justify="between" align="baseline" gap={1}>
            <Link to={paths.setting(page)}>{TITLES[page]}</Link>
            <Text small tone={said?.alarming ? 'danger' : 'muted'}>
              {said?.words ?? '…'}
            </Text>
          </Row>
        );
      })}
    </Stack>
  );
}
