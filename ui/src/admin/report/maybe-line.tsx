/** Other reports that name the same: one line, and on request what they say. The program proposes, people decide. */
import { useId, useState } from 'react';
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
import { quoted } from '../common/stories';
import { useRead, useRefresh } from '../common/use-read';
import styles from './maybe-line.module.css';

export function MaybeLine({ report: { id, story: own } }: { report: ReportDetail }) {
  const related = useRead('/reports/{id}/related', { with: { path: { id } } }).data;
  const { edits } = useRights();
  const action = useAction();
  const refresh = useRefresh();
  const list = useId();
  const [open, setOpen] = useState(false);
  const [founding, setFounding] = useState<string | null>(null);
  const run = (work: () => Promise<unknown>, told: string) =>
    void action.run(async () => {
      await work();
      await refresh();
      return told;
    });
  const join = (to: string, report: string, told: string) =>
    run(() => call('put', '/stories/{id}/reports/{report}', { path: { id: to, report } }), told);
  const apart = (b: string, name: string) =>
    run(() => call('post', '/stories/apart', { body: { a: id, b } }), `${name}: un’altra cosa`);
  if (!related?.shared) {
    return null;
  }
  const { names, others } = related.shared;
  return (
    <section className={styles.maybe} aria-label="Forse riguarda">
      <p>
        {quoted(names)} anche in {others === 1 ? 'un’altra' : `altre ${others}`}{' '}
        <button type="button" aria-expanded={open} aria-controls={list} onClick={() => setOpen(!open)}>
          Confronta
        </button>
      </p>
      <Failure of={action} title="Non salvato" />
      {founding ? <NewStoryDialog reports={[id, founding]} onClose={() => setFounding(null)} /> : null}
      <Stack as="ul" lined id={list} hidden={!open}>
        {related.maybe.map((one) => {
          const { id: other, story, reasons } = one;
          const name = reporterName(one);
          const same = () =>
            story
              ? join(story.id, id, `Nella storia «${story.title}»`)
              : own
                ? join(own.id, other, `${name}: nella storia «${own.title}»`)
                : setFounding(other);
          return (
            <Stack as="li" key={other} gap={1}>
              <p>
                <Link to={paths.report(other)}>{name}</Link>
                {story ? ', nella storia ' : ''}
                {story ? <Link to={paths.story(story.id)}>«{story.title}»</Link> : null}
              </p>
              <p>{one.excerpt}</p>
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
                    onClick={() => apart(other, name)}
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
  );
}
