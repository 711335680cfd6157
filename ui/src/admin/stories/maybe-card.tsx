/** The story that a report may also belong to. The program proposes, people decide. */
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { ReportDetail } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { NewStoryDialog } from '../bulk/new-story-dialog';
import { Failure, useAction } from '../common/action';
import { paths } from '../common/paths';
import { reporterName } from '../common/reporter-name';
import { useRights } from '../common/session/session-context';
import { useRead, useRefresh } from '../common/use-read';
import styles from './stories.module.css';

export function MaybeCard({ report: { id, story: own } }: { report: ReportDetail }) {
  const maybe = useRead('/reports/{id}/related', { with: { path: { id } } }).data?.maybe ?? [];
  const { edits } = useRights();
  const action = useAction();
  const refresh = useRefresh();
  const [founding, setFounding] = useState<string | null>(null);
  const run = (work: () => Promise<unknown>, news: string) =>
    void action.run(() =>
      work()
        .then(() => refresh())
        .then(() => news),
    );
  const join = (to: string, report: string) =>
    run(
      () => call('put', '/stories/{id}/reports/{report}', { path: { id: to, report } }),
      'Aggiunta alla storia.',
    );
  const apart = (b: string) =>
    run(() => call('post', '/stories/apart', { body: { a: id, b } }), 'Non verrà più proposta.');
  return (
    <>
      <Failure of={action} title="Non salvato" />
      {founding ? <NewStoryDialog reports={[id, founding]} onClose={() => setFounding(null)} /> : null}
      {maybe.length > 0 ? (
        <section className={styles.maybe} aria-labelledby="forse">
          <h2 id="forse">Forse riguarda</h2>
          <Stack as="ul" lined>
            {maybe.map((one) => {
              const { id: other, story, reasons } = one;
              const name = reporterName(one);
              const same = () =>
                story ? join(story.id, id) : own ? join(own.id, other) : setFounding(other);
              return (
                <Stack as="li" key={other} gap={1}>
                  <p>
                    <Link to={paths.report(other)}>{name}</Link>
                    {story ? ', nella storia ' : ''}
                    {story ? <Link to={paths.story(story.id)}>«{story.title}»</Link> : null}
                  </p>
                  <Text small tone="muted">
                    {reasons.join(' ')}
                  </Text>
                  {edits ? (
                    <Row gap={2}>
                      <Button about={name} inactive={action.busy} onClick={same}>
                        Sì, stessa storia
                      </Button>
                      <Button
                        variant="quiet"
                        about={name}
                        inactive={action.busy}
                        onClick={() => apart(other)}
                      >
                        È un’altra cosa
                      </Button>
                    </Row>
                  ) : null}
                </Stack>
              );
            })}
          </Stack>
        </section>
      ) : null}
    </>
  );
}
