import { Link } from 'react-router-dom';
import type { StoryList } from '../../shared/api/schema';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { LabelChips } from '../common/labels/labels';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { useNow } from '../common/use-now';
import { useRead } from '../common/use-read';
import { Age, MINUTE_MS } from '../reports/age';
import { factsOf, LOOK_MS, MOST } from './api';
import styles from './stories.module.css';

export function StoriesPage() {
  const stories = useRead('/stories', { with: { query: { limit: MOST } }, refetchInterval: LOOK_MS });
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
        <Text tone="muted">
          Nessuna, per ora. Nasce da una proposta, o dalle segnalazioni che scegli nell’elenco.
        </Text>
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
      {nextCursor ? <Text tone="muted">{`Le ultime ${MOST}.`}</Text> : null}
    </Card>
  );
}
