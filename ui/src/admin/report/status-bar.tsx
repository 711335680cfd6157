/** Status, department and urgency of a report: each is saved as it is chosen. Must never save what was only passed by. */
import { Tag, TriangleAlert } from 'lucide-react';
import { type KeyboardEvent, lazy, Suspense, useId, useState } from 'react';
import type { ReportDetail } from '../../shared/api/schema';
import { Badge } from '../../shared/ui/badge';
import { Button } from '../../shared/ui/button';
import { Row } from '../../shared/ui/layout';
import { Select } from '../../shared/ui/select';
import { DESK_OPTIONS, deskName } from '../common/departments';
import { LabelChips } from '../common/labels/labels';
import { STATI, toneOf } from '../common/stato';
import { type Conflict, useChanges } from '../desk/changes';
import { ConflictPanel } from './conflict-panel';
import styles from './report.module.css';

const LabelsDialog = lazy(() => import('../common/labels/labels-dialog'));

/** A closed select would take each option that an arrow passes: it is opened instead, and takes the one that is chosen. */
function openInstead(event: KeyboardEvent<HTMLSelectElement>): void {
  const passes = /^(Arrow|Home|End|Page)/.test(event.key) || (event.key.length === 1 && event.key !== ' ');
  if (passes && !event.ctrlKey && !event.metaKey && 'showPicker' in event.currentTarget) {
    event.preventDefault();
    event.currentTarget.showPicker();
  }
}

export function StatusBar({ report }: { report: ReportDetail }) {
  const changes = useChanges();
  const id = useId();
  const [labelling, setLabelling] = useState(false);
  const { stato, department, urgenteOra, labels } = report;
  const pending = changes.pending(report.id);
  const shown = { stato, department, urgente: urgenteOra, labels, ...pending };
  const conflict = changes.conflict(report.id);
  return (
    <section className={styles.bar} aria-label="Stato e reparto">
      <Row gap={3}>
        {/* biome-ignore lint/a11y/useSemanticElements: buttons, of which one is pressed */}
        <div role="group" aria-label="Stato" className={styles.stati}>
          {STATI.map((one, index) => (
            <button
              key={one}
              type="button"
              data-tone={toneOf(one)}
              aria-pressed={shown.stato === one}
              aria-keyshortcuts={`${index + 1}`}
              onClick={() => one !== shown.stato && changes.change(report, { stato: one })}
            >
              {one}
            </button>
          ))}
        </div>
        <label className="visually-hidden" htmlFor={id}>
          Reparto
        </label>
        <div className={styles.desk}>
          <Select
            id={id}
            value={shown.department}
            options={DESK_OPTIONS}
            onKeyDown={openInstead}
            onValue={(to) => changes.change(report, { department: to })}
          />
        </div>
        <Button
          variant="quiet"
          aria-pressed={shown.urgente}
          className={styles.urgent}
          icon={<TriangleAlert aria-hidden="true" />}
          onClick={() => changes.change(report, { urgente: !shown.urgente })}
        >
          Urgente
        </Button>
        <Button variant="quiet" icon={<Tag aria-hidden="true" />} onClick={() => setLabelling(true)}>
          Etichette
        </Button>
        <LabelChips ids={shown.labels} />
      </Row>
      {labelling ? (
        <Suspense>
          <LabelsDialog
            title="Etichette della segnalazione"
            ids={shown.labels}
            onChange={(to) => changes.change(report, { labels: to.toSorted((a, b) => a - b) })}
            onClose={() => setLabelling(false)}
          />
        </Suspense>
      ) : null}
      {conflict ? <ChoiceConflict report={report} conflict={conflict} /> : null}
    </section>
  );
}

function ChoiceConflict({
  report,
  conflict: { current, mine },
}: {
  report: ReportDetail;
  conflict: Conflict;
}) {
  const { change, settle } = useChanges();
  const rows = [];
  if (mine.stato !== undefined) {
    const badge = (stato: typeof mine.stato) => <Badge tone={toneOf(stato)}>{stato}</Badge>;
    rows.push({ name: 'Stato', saved: badge(current.stato), mine: badge(mine.stato) });
  }
  if (mine.department !== undefined) {
    rows.push({ name: 'Reparto', saved: deskName(current.department), mine: deskName(mine.department) });
  }
  if (mine.labels !== undefined) {
    const chips = (ids: number[]) => (ids.length > 0 ? <LabelChips ids={ids} /> : 'nessuna');
    rows.push({ name: 'Etichette', saved: chips(current.labels), mine: chips(mine.labels) });
  }
  const latest = current.versione > report.versione ? current : report;
  return <ConflictPanel current={current} rows={rows} onKeep={() => change(latest, mine)} onTake={settle} />;
}
