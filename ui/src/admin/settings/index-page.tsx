import { Link } from 'react-router-dom';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { ErrorCard } from '../common/error-card';
import { Fold } from '../common/fold';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { ADVANCED, GROUPS, type SettingsPage, type Titles } from '../common/settings-pages';
import { useRead } from '../common/use-read';
import { useExamination } from './health-card';
import styles from './settings-page.module.css';
import { type SettingsOverview, STATES } from './states';

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
  } satisfies Record<keyof SettingsOverview, object>;
  const failed = Object.values(reads).filter(({ data, isError }) => data === undefined && isError);
  const answers = Object.entries(reads).map(([name, { data }]) => [name, data]);
  const known: SettingsOverview = Object.fromEntries(answers);
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
        {Object.entries(GROUPS).map(([title, pages]) => (
          <Card key={title} title={title}>
            <Tasks label={title} pages={pages} known={known} />
          </Card>
        ))}
      </div>
      <Fold title="Avanzate" note={Object.values(ADVANCED).join(', ')}>
        <Tasks label="Avanzate" pages={ADVANCED} known={known} />
      </Fold>
    </Page>
  );
}

function Tasks({ label, pages, known }: { label: string; pages: Partial<Titles>; known: SettingsOverview }) {
  return (
    <Stack as="ul" lined aria-label={label}>
      {Object.entries(pages).map(([page, title]) => {
        const said = STATES[page as SettingsPage](known);
        return (
          <Row as="li" key={page} className={styles.task} justify="between" align="baseline" gap={1}>
            <Link to={paths.setting(page as SettingsPage)}>{title}</Link>
            <Text small tone={said?.alarming ? 'danger' : 'muted'}>
              {said?.words ?? '…'}
            </Text>
          </Row>
        );
      })}
    </Stack>
  );
}
