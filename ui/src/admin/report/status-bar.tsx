/** Status, department and urgency of a report: each is saved as it is chosen. Must never save what was only passed by. */
import { Tag, TriangleAlert } from 'lucide-react';
import { type KeyboardEvent, useId } from 'react';
import type { ReportDetail } from '../../shared/api/schema';
import { Badge } from '../../shared/ui/badge';
import { Button } from '../../shared/ui/button';
import { Row } from '../../shared/ui/layout';
import { Select } from '../../shared/ui/select';
import { DESK_OPTIONS, deskName } from '../common/departments';
import { LabelChips } from '../common/labels/labels';
import { Opener } from '../common/opener';
import { usePeople, usePeopleOptions } from '../common/people/people';
import { STATI, toneOf } from '../common/stato';
import { type Conflict, useChanges } from '../desk/changes';
import { useRights } from '../session/session-context';
import { ConflictPanel } from './conflict-panel';
import styles from './report.module.css';

/** A closed select would take each option that an arrow passes: it is opened instead, and takes the one that is chosen. */
function openInstead(event: KeyboardEvent<HTMLSelectElement>): void {
  const passes = /^(Arrow|Home|End|Page)/.test(event.key) || (event.key.length === 1 && event.key !== ' ');
  if (passes && !event.ctrlKey && !event.metaKey && 'showPicker' in event.currentTarget) {
    event.preventDefault();
    event.currentTarget.showPicker();
  }
}

function Standing({ report }: { report: ReportDetail }) {
  const { nameOf } = usePeople();
  const assigned = nameOf(report.assegnataA);
  return (
    <Row as="section" gap={3} className={styles.bar} aria-label="Stato e reparto">
      <Badge tone={toneOf(report.stato)}>{report.stato}</Badge>
      <span>{deskName(report.department)}</span>
      {report.urgenteOra ? <Badge tone="red">Urgente</Badge> : null}
      {assigned ? <span>In carico a {assigned}</span> : null}
      <LabelChips ids={report.labels} />
    </Row>
  );
}

export function StatusBar({ report }: { report: ReportDetail }) {
  return useRights().edits ? <Choices report={report} /> : <Standing report={report} />;
}

function Choices({ report }: { report: ReportDetail }) {
  const changes = useChanges();
  const id = useId();
  const { stato, department, urgenteOra, labels, assegnataA } = report;
  const pending = changes.pending(report.id);
  const shown = { stato, department, urgente: urgenteOra, labels, assegnataA, ...pending };
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
        <Assignment value={shown.assegnataA} onValue={(to) => changes.change(report, { assegnataA: to })} />
        <Button
          variant="quiet"
          aria-pressed={shown.urgente}
          className={styles.urgent}
          icon={<TriangleAlert />}
          onClick={() => changes.change(report, { urgente: !shown.urgente })}
        >
          Urgente
        </Button>
        <Opener
          load={() => import('../common/labels/labels-dialog')}
          props={{
            title: 'Etichette della segnalazione',
            ids: shown.labels,
            onChange: (to: number[]) => changes.change(report, { labels: to.toSorted((a, b) => a - b) }),
          }}
          variant="quiet"
          icon={<Tag />}
        >
          Etichette
        </Opener>
        <LabelChips ids={shown.labels} />
      </Row>
      {conflict ? <ChoiceConflict report={report} conflict={conflict} /> : null}
    </section>
  );
}

/** Whose report it is; nothing where only the shared password exists. */
function Assignment({ value, onValue }: { value: string | null; onValue: (id: string | null) => void }) {
  const { nameOf } = usePeople();
  const people = usePeopleOptions();
  if (people.length === 0 && value === null) {
    return null;
  }
  // A removed person keeps their reports until these are assigned anew.
  const gone = value !== null && people.every((one) => one.value !== value);
  const options = [
    { value: '', label: 'Non assegnata' },
    ...(gone ? [{ value, label: `${nameOf(value) ?? 'Qualcuno'} (non c’è più)` }] : []),
    ...people,
  ];
  return (
    <div className={styles.desk}>
      <Select
        aria-label="Assegnata a"
        value={value ?? ''}
        options={options}
        onKeyDown={openInstead}
        onValue={(to) => onValue(to || null)}
      />
    </div>
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
  const { nameOf } = usePeople();
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
  if (mine.assegnataA !== undefined) {
    const name = (id: string | null) => nameOf(id) ?? 'nessuno';
    rows.push({ name: 'Assegnata a', saved: name(current.assegnataA), mine: name(mine.assegnataA) });
  }
  const latest = current.versione > report.versione ? current : report;
  return <ConflictPanel current={current} rows={rows} onKeep={() => change(latest, mine)} onTake={settle} />;
}
