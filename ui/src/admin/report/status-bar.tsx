/** The decisions about a report, in one line: each is saved as it is chosen. A value that was only passed by is never saved. */
import {
  AlarmClock,
  Ellipsis,
  Files,
  Lock,
  Printer,
  Send,
  Tag,
  TriangleAlert,
  UserRound,
  Users,
} from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { addressOf } from '../../shared/api/client';
import type { ReportDetail } from '../../shared/api/schema';
import { Badge } from '../../shared/ui/badge';
import { Button, buttonClass } from '../../shared/ui/button';
import { type Option, Select } from '../../shared/ui/select';
import { CopyButton } from '../common/copy-button';
import { optionsOf, useDepartments } from '../common/departments';
import { COLORS, LabelChips, useLabels } from '../common/labels/labels';
import list from '../common/list/list.module.css';
import { Opener } from '../common/opener';
import { usePeople, usePeopleOptions } from '../common/people/people';
import { useRights } from '../common/session/session-context';
import { isSnoozed } from '../common/snooze';
import { STATO_OPTIONS, toneOf } from '../common/stato';
import { useRead } from '../common/use-read';
import { type Conflict, choicesOf, useChanges } from '../desk/changes';
import styles from './bar.module.css';
import type { Way } from './composer';
import { ConflictPanel } from './conflict-panel';

/** A closed select would take each option that an arrow passes: it is opened instead, and takes the one that is chosen. */
function openInstead(event: KeyboardEvent<HTMLSelectElement>): void {
  const passes = /^(Arrow|Home|End|Page)/.test(event.key) || (event.key.length === 1 && event.key !== ' ');
  if (passes && !event.ctrlKey && !event.metaKey && 'showPicker' in event.currentTarget) {
    event.preventDefault();
    event.currentTarget.showPicker();
  }
}

interface StatusBarProps {
  report: ReportDetail;
  labelsButton: RefObject<HTMLButtonElement | null>;
  snoozeButton: RefObject<HTMLButtonElement | null>;
  printing: boolean;
  onPrint: () => void;
  onWrite: (way: Way) => void;
}

export function StatusBar(props: StatusBarProps) {
  return useRights().edits ? <Choices {...props} /> : <Standing report={props.report} />;
}

function Standing({ report }: { report: ReportDetail }) {
  const { nameOf } = usePeople();
  const assigned = nameOf(report.assegnataA);
  return (
    <section className={styles.bar} aria-label="Stato e reparto">
      <div className={styles.line}>
        <span data-stato={report.stato}>{report.stato}</span>
        <span title={report.departmentName}>{report.departmentName}</span>
        {report.urgenteOra ? <Badge tone="red">Urgente</Badge> : null}
        {assigned ? <span>In carico a {assigned}</span> : null}
        <LabelChips ids={report.labels} />
      </div>
    </section>
  );
}

function Choices({ report, labelsButton, snoozeButton, printing, onPrint, onWrite }: StatusBarProps) {
  const changes = useChanges();
  const shown = { ...choicesOf(report), ...changes.pending(report.id) };
  const conflict = changes.conflict(report.id);
  const more = useOpened();
  const departments = useDepartments();
  return (
    <>
      <section
        ref={more.ref}
        className={styles.bar}
        aria-label="Stato e reparto"
        data-open={more.open || undefined}
      >
        <div className={styles.line}>
          <Pick
            label="Stato"
            keys="1 2 3 4"
            title="Stato (da 1 a 4)"
            value={shown.stato}
            options={STATO_OPTIONS}
            icon={<i className={list.dot} data-stato={shown.stato} />}
            onValue={(to) => to !== shown.stato && changes.change(report, { stato: to })}
          />
          <Pick
            label="Reparto"
            keys="r"
            title={`Reparto (r): ${departments.nameOf(shown.department)}`}
            value={shown.department}
            options={optionsOf(departments.all)}
            second
            onValue={(to) => changes.change(report, { department: to })}
          />
          <Assignment value={shown.assegnataA} onValue={(to) => changes.change(report, { assegnataA: to })} />
          <Button variant="quiet" className={styles.thumbed} icon={<Lock />} onClick={() => onWrite('in')}>
            Commenta
          </Button>
          <Button variant="quiet" className={styles.thumbed} icon={<Send />} onClick={() => onWrite('out')}>
            Scrivi
          </Button>
          <Opener
            ref={labelsButton}
            load={() => import('../common/labels/labels-dialog')}
            props={{
              title: 'Etichette della segnalazione',
              ids: shown.labels,
              onChange: (to: number[]) => changes.change(report, { labels: to.toSorted((a, b) => a - b) }),
            }}
            variant="quiet"
            data-second=""
            title="Etichette (l)"
            aria-keyshortcuts="l"
            icon={<LabelSquares ids={shown.labels} />}
          >
            <LabelWords ids={shown.labels} />
          </Opener>
          <Button
            variant="quiet"
            data-second=""
            aria-pressed={shown.urgente}
            aria-keyshortcuts="u"
            title="Urgente (u)"
            className={styles.urgent}
            icon={<TriangleAlert />}
            onClick={() => changes.change(report, { urgente: !shown.urgente })}
          >
            <span>Urgente</span>
          </Button>
          <span className={styles.apart} />
          <SamePerson id={report.id} />
          <Opener
            ref={snoozeButton}
            load={() => import('./snooze-dialog')}
            props={{ report }}
            variant="quiet"
            data-second=""
            aria-pressed={isSnoozed(report)}
            aria-keyshortcuts="h"
            title="Rinvia (h)"
            icon={<AlarmClock />}
          >
            <span className={styles.words}>Rinvia</span>
          </Opener>
          <Button
            variant="quiet"
            aria-expanded={more.open}
            title="Altro: PDF, ZIP, ID"
            icon={<Ellipsis />}
            onClick={more.toggle}
          >
            <span className={styles.words}>Altro</span>
          </Button>
          {more.open ? (
            <div className={styles.menu}>
              <Button
                variant="quiet"
                aria-keyshortcuts="p"
                inactive={printing}
                icon={<Printer />}
                onClick={onPrint}
              >
                {printing ? 'Preparazione…' : 'Stampa PDF'}
              </Button>
              {report.attachments.length > 0 ? (
                <a
                  className={buttonClass}
                  data-variant="quiet"
                  href={addressOf('/reports/{id}/dossier.zip', { path: { id: report.id } })}
                  download
                >
                  <Files aria-hidden="true" />
                  Scarica tutto (ZIP)
                </a>
              ) : null}
              <CopyButton text={report.id} label="Copia l’ID" variant="quiet" />
            </div>
          ) : null}
        </div>
      </section>
      {conflict ? <ChoiceConflict report={report} conflict={conflict} /> : null}
    </>
  );
}

interface PickProps<Value extends string> {
  label: string;
  title: string;
  keys: string;
  value: Value;
  options: readonly Option<Value>[];
  icon?: ReactNode;
  /** The visible text; the option itself if absent. */
  shown?: string;
  /** On a phone it stands behind 'Altro'. */
  second?: boolean;
  onValue: (value: Value) => void;
}

/** A choice that looks like a button; the list is the browser's own, over it. */
function Pick<Value extends string>({
  label,
  title,
  keys,
  icon,
  shown,
  second,
  ...select
}: PickProps<Value>) {
  const { value, options } = select;
  return (
    <div className={styles.pick} title={title} data-second={second ? '' : undefined}>
      {icon}
      <span aria-hidden="true">{shown ?? options.find((option) => option.value === value)?.label}</span>
      <Select {...select} aria-label={label} aria-keyshortcuts={keys} onKeyDown={openInstead} />
    </div>
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
  const name = nameOf(value);
  const options = [
    { value: '', label: 'Non assegnata' },
    ...(gone ? [{ value, label: `${name ?? 'Qualcuno'} (non c’è più)` }] : []),
    ...people,
  ];
  return (
    <Pick
      label="Assegnata a"
      keys="a"
      title={name ? `Assegnata a ${name} (a)` : 'Assegna (a)'}
      icon={<UserRound />}
      shown={value === null ? 'Assegna' : (name ?? 'Qualcuno')}
      value={value ?? ''}
      options={options}
      onValue={(to) => onValue(to || null)}
    />
  );
}

function LabelSquares({ ids }: { ids: readonly number[] }) {
  const [first] = useLabels().filter(({ id }) => ids.includes(id));
  return first ? <i className={styles.square} style={{ background: COLORS[first.color] }} /> : <Tag />;
}

/** The name of the only one, or how many there are. */
function LabelWords({ ids }: { ids: readonly number[] }) {
  const names = useLabels().flatMap(({ id, name }) => (ids.includes(id) ? [name] : []));
  return (
    <>
      <span className={styles.words}>Etichette{names.length > 1 ? `: ${names.join(', ')}` : ''} </span>
      {names.length > 1 ? <span aria-hidden="true">{names.length}</span> : <span>{names[0]}</span>}
    </>
  );
}

/** How many others are of the same person; it leads to them. */
function SamePerson({ id }: { id: string }) {
  const { data } = useRead('/reports/{id}/related', { with: { path: { id } } });
  const others = data?.samePerson.length ?? 0;
  const show = () => {
    const part = document.querySelector<HTMLDetailsElement>('#stessa-persona details');
    if (part) {
      part.open = true;
      part.querySelector('summary')?.focus();
    }
  };
  return others > 0 ? (
    <Button
      variant="quiet"
      data-second=""
      title={`Altre della stessa persona: ${others}`}
      icon={<Users />}
      onClick={show}
    >
      {others}
      <span className="visually-hidden"> della stessa persona</span>
    </Button>
  ) : null;
}

/** A menu of seldom used actions closes when something else is pressed. */
function useOpened() {
  const [open, setOpen] = useState(false);
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!open) {
      return;
    }
    const close = (event: Event) => {
      const within = event.target instanceof Node && ref.current?.contains(event.target);
      if (event instanceof globalThis.KeyboardEvent ? event.key === 'Escape' : !within) {
        setOpen(false);
      }
    };
    const gone = new AbortController();
    document.addEventListener('pointerdown', close, gone);
    document.addEventListener('keydown', close, gone);
    return () => gone.abort();
  }, [open]);
  return { open, ref, toggle: () => setOpen(!open) };
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
  const departments = useDepartments();
  const rows = [];
  if (mine.stato !== undefined) {
    const badge = (stato: typeof mine.stato) => <Badge tone={toneOf(stato)}>{stato}</Badge>;
    rows.push({ name: 'Stato', saved: badge(current.stato), mine: badge(mine.stato) });
  }
  if (mine.department !== undefined) {
    rows.push({ name: 'Reparto', saved: current.departmentName, mine: departments.nameOf(mine.department) });
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
