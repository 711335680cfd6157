import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'react-router-dom';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { ErrorCard } from '../common/error-card';
import { Fold } from '../common/fold';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { ADVANCED, SECTIONS, type SettingsPage, type Titles } from '../common/settings-pages';
import { useRead } from '../common/use-read';
import { useExamination } from './health-card';
import styles from './settings-page.module.css';
import { type SettingsOverview, STATES } from './states';

/** What one sets, or looks after, on a page that is not the settings' own. */
const WORK = [
  [paths.prompts, 'Prompt Chat', 'Le frasi della chat'],
  [paths.deliveries, 'Consegne', 'Email e webhook partiti'],
] as const;

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
      {SECTIONS.map(({ name, heading, pages }) => (
        <SectionCard key={name} name={name} heading={heading} first={name === SECTIONS[0]?.name}>
          <Tasks label={heading} pages={pages} known={known} />
        </SectionCard>
      ))}
      <Card title="Chat e consegne">
        <Stack as="ul" lined aria-label="Chat e consegne">
          {WORK.map(([path, title, about]) => (
            <Row as="li" key={path} className={styles.task} justify="between" align="baseline" gap={1}>
              <Link to={path}>{title}</Link>
              <Text small tone="muted">
                {about}
              </Text>
            </Row>
          ))}
        </Stack>
      </Card>
      <Fold title="Avanzate" note={Object.values(ADVANCED).join(', ')}>
        <Tasks label="Avanzate" pages={ADVANCED} known={known} />
      </Fold>
    </Page>
  );
}

interface SectionCardProps {
  name: string;
  heading: string;
  /** It is in sight already, and the page's heading has the focus. */
  first: boolean;
  children: ReactNode;
}

/** One of the three screens: its address leads to its heading. */
function SectionCard({ name, heading, first, children }: SectionCardProps) {
  const place = useRef<HTMLHeadingElement>(null);
  const { pathname, key } = useLocation();
  const asked = pathname === paths.section(name) && !first;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each press of its link leads there
  useEffect(() => {
    if (asked) {
      place.current?.focus({ preventScroll: true });
      place.current?.scrollIntoView();
    }
  }, [asked, key]);
  return (
    <Card title={heading} headingRef={place}>
      {children}
    </Card>
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
