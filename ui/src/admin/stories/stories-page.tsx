import { Newspaper } from 'lucide-react';
import { Link, useSearchParams } from 'react-router-dom';
import type { StoryList } from '../../shared/api/schema';
import { buttonClass } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { EmptyState } from '../../shared/ui/empty-state';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { LabelChips } from '../common/labels/labels';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { useNow } from '../common/use-now';
import { useRead } from '../common/use-read';
import { Age, MINUTE_MS } from '../reports/age';
import { factsOf, LOOK_MS } from './api';
import styles from './stories.module.css';

export function StoriesPage() {
  const [params] = useSearchParams();
  const cursor = params.get('cursor');
  const stories = useRead('/stories', {
    with: { query: cursor ? { cursor } : {} },
    refetchInterval: LOOK_MS,
  });
  return (
    <Page title="Storie" subtitle="Segnalazioni che parlano della stessa cosa">
      <Loaded query={stories} loading="Caricamento…" failed="Non è stato possibile caricare le storie">
        {(found) => <Stories found={found} />}
      </Loaded>
    </Page>
  );
}

function Stories({ found: { data, nextCursor } }: { found: StoryList }) {
  const now = useNow(MINUTE_MS);
  return (
    <Card title="Storie">
      {data.length === 0 ? (
        <EmptyState icon={<Newspaper />} title="Nessuna storia, per ora">
          <p>
            Le proposte che accetti diventano storie. Una si fa anche scegliendo segnalazioni nell’elenco.
          </p>
        </EmptyState>
      ) : (
        <Stack as="ul" lined aria-label="Storie">
          {data.map((story) => (
            <li key={story.id} className={styles.entry}>
              <Link className={styles.whole ?? ''} to={paths.story(story.id)}>
                {story.title}
              </Link>
              <Age instant={story.last} now={now} />
              <Row gap={2}>
                <Text as="span" small tone="muted">
                  {factsOf(story)}
                </Text>
                <LabelChips ids={story.labels} />
              </Row>
            </li>
          ))}
        </Stack>
      )}
      {nextCursor ? (
        <Link
          className={buttonClass}
          data-variant="secondary"
          to={`?${new URLSearchParams({ cursor: nextCursor })}`}
        >
          Le precedenti
        </Link>
      ) : null}
    </Card>
  );
}
