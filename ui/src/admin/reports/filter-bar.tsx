import { ArrowUpToLine, SlidersHorizontal } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { Link } from 'react-router-dom';
import type { Counters as Figures, ReportList } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Button, type ButtonProps } from '../../shared/ui/button';
import { Row } from '../../shared/ui/layout';
import type { Option } from '../../shared/ui/select';
import { TextInput } from '../../shared/ui/text-input';
import { useKnownCallouts } from '../callouts/api';
import { optionsOf, useDepartments } from '../common/departments';
import { useLabels } from '../common/labels/labels';
import {
  type ChangeFilters,
  type Filters,
  isFiltered,
  isNarrowed,
  ORIGINS,
  withFilter,
  writeFilters,
} from '../common/list/filters';
import styles from '../common/list/list.module.css';
import { ORIGIN_NAMES } from '../common/list/report-table';
import { paths } from '../common/paths';
import { usePeople, usePeopleOptions } from '../common/people/people';
import { useRights } from '../common/session/session-context';
import { STATO_OPTIONS, type Stato } from '../common/stato';
import { Choice } from './choice';
import { useUrgentFirst } from './urgent-first';
import { ViewKeeper } from './views';

const PERIOD_OPTIONS: readonly Option<NonNullable<Filters['period']>>[] = [
  { value: 'today', label: 'Oggi' },
  { value: 'week', label: 'Ultimi 7 giorni' },
  { value: 'month', label: 'Ultimo mese' },
];
const ORIGIN_OPTIONS = ORIGINS.map((value) => ({ value, label: ORIGIN_NAMES[value] }));
const ORDER_OPTIONS: readonly Option<'asc'>[] = [{ value: 'asc', label: 'Prima le più vecchie' }];

interface FilterBarProps {
  filters: Filters;
  onChange: ChangeFilters;
  list: ReportList | undefined;
  children?: ReactNode;
}

/** So many are counted of a filter. */
const COUNTED_TO = 999;

/** A filter with its number; one that is seldom of use shows only while it finds something. */
interface Chip {
  change: Parameters<typeof withFilter>[1];
  label: string;
  n: number | undefined;
  seldom?: boolean;
  alarm?: boolean;
}

function chipsOf(list: ReportList | undefined, { story }: Filters): readonly Chip[] {
  const { counts, answersWaiting, withdrawalsWaiting, matching } = list ?? {};
  const title = list?.data.find((row) => row.story?.id === story)?.story?.title;
  return [
    ...(story
      ? [{ change: { story }, label: title ? `Storia «${title}»` : 'Storia', n: matching ?? undefined }]
      : []),
    { change: { urgente: true }, label: 'Urgenti', n: counts?.urgent, alarm: true },
    { change: { unread: true }, label: 'Non lette', n: counts?.unread },
    { change: { files: true }, label: 'Con file', n: counts?.files },
    { change: { answer: true }, label: 'Risposte', n: answersWaiting, seldom: true },
    { change: { due: 'late' }, label: 'Scadute', n: counts?.dueLate, seldom: true, alarm: true },
    { change: { due: 'soon' }, label: 'In scadenza', n: counts?.dueSoon, seldom: true },
    { change: { withdrawal: true }, label: 'Da ritirare', n: withdrawalsWaiting, seldom: true, alarm: true },
    { change: { snoozed: true }, label: 'Rinviate', n: counts?.snoozed, seldom: true },
  ];
}

export function FilterBar({ filters, onChange, list, children }: FilterBarProps) {
  const [open, setOpen] = useState(false);
  const [urgentFirst, setUrgentFirst] = useUrgentFirst();
  const id = useId();
  const change = (to: Chip['change']) => onChange((now) => withFilter(now, to));
  const folded = foldedOf(filters);
  const { edits } = useRights();
  return (
    <section className={styles.bar} aria-label="Filtri" data-open={open || undefined}>
      <nav className={styles.chips} aria-label="Riepilogo delle segnalazioni" data-line="">
        <Counter figure="total" label="Tutte" figures={list?.counters} filters={filters} />
        {chipsOf(list, filters).map(({ change: to, label, n, seldom, alarm }) => {
          const [name, value] = Object.entries(to)[0] ?? [];
          const on = new Map<string, unknown>(Object.entries(filters)).get(name ?? '') === value;
          return seldom && !n && !on ? null : (
            <button
              key={label}
              type="button"
              className={styles.chip}
              aria-pressed={on}
              data-alarm={alarm || undefined}
              onClick={() => change(on ? { [name ?? '']: null } : to)}
            >
              {label} <b>{n !== undefined && n > COUNTED_TO ? `${COUNTED_TO}+` : figureOf(n)}</b>
            </button>
          );
        })}
        {COUNTED.map(({ stato, ...counted }) => (
          <Counter key={stato} {...counted} stato={stato} figures={list?.counters} filters={filters} />
        ))}
      </nav>
      <Tool
        label="Urgenti in cima"
        pressed={urgentFirst && !filters.order}
        inactive={filters.order !== undefined}
        icon={<ArrowUpToLine />}
        onClick={() => setUrgentFirst(!urgentFirst)}
      />
      <Button
        variant="icon"
        aria-label={folded > 0 ? `Filtri (${folded})` : 'Filtri'}
        title="Filtri"
        aria-expanded={open}
        aria-controls={id}
        data-set={folded > 0 || undefined}
        icon={<SlidersHorizontal />}
        onClick={() => setOpen(!open)}
      />
      <div className={styles.folded} id={id} hidden={!open}>
        <Folded filters={filters} change={change} />
        {edits ? <ViewKeeper filters={filters} /> : null}
        {children}
      </div>
    </section>
  );
}

function Tool({ label, pressed, ...button }: ButtonProps & { label: string; pressed: boolean }) {
  return (
    <Button {...button} variant="quiet" className={styles.tool} title={label} aria-pressed={pressed}>
      <span>{label}</span>
    </Button>
  );
}

const FOLDED = ['department', 'origin', 'callout', 'label', 'assignedTo', 'period', 'from', 'to'] as const;

function foldedOf(filters: Filters): number {
  const { stato, order } = filters;
  return [stato === 'Archiviata', order === 'asc', ...FOLDED.map((name) => filters[name])].filter(Boolean)
    .length;
}

interface FoldedProps {
  filters: Filters;
  change: (to: Parameters<typeof withFilter>[1]) => void;
}

function Folded({ filters, change }: FoldedProps) {
  const callouts = useKnownCallouts().map(({ id, title }) => ({ value: id, label: title }));
  const labels = useLabels().map(({ id, name }) => ({ value: String(id), label: name }));
  const people = usePeopleOptions();
  const { nameOf } = usePeople();
  const { who } = useRights();
  const { seen } = useDepartments();
  const { assignedTo } = filters;
  const mine = who ? [{ value: 'me', label: 'Le mie' }] : [];
  const known = [...mine, { value: 'none', label: 'Non assegnate' }, ...people];
  // A removed person can still be looked for.
  const gone = known.every(({ value }) => value !== assignedTo) ? nameOf(assignedTo) : undefined;
  const choice = <Name extends 'department' | 'stato' | 'origin' | 'callout' | 'period' | 'assignedTo'>(
    name: Name,
    label: string,
    all: string,
    options: readonly Option<NonNullable<Filters[Name]>>[],
  ) => (
    <Choice
      label={label}
      all={all}
      options={options}
      value={filters[name]}
      onValue={(value) => change({ [name]: value })}
    />
  );
  const assignees = assignedTo && gone ? [...known, { value: assignedTo, label: gone }] : known;
  return (
    <>
      {choice('department', 'Reparto', 'Tutti i reparti', optionsOf(seen))}
      {people.length > 0 || gone
        ? choice('assignedTo', 'Assegnata a', 'Assegnate a chiunque', assignees)
        : null}
      {choice('stato', 'Stato', 'Tutti gli stati', STATO_OPTIONS)}
      {labels.length > 0 ? (
        <Choice
          label="Etichetta"
          all="Tutte le etichette"
          options={labels}
          value={filters.label === undefined ? undefined : String(filters.label)}
          onValue={(label) => change({ label: Number(label) })}
        />
      ) : null}
      {callouts.length > 0 ? choice('callout', 'Inchiesta', 'Con e senza inchiesta', callouts) : null}
      {choice('origin', 'Origine', 'Tutte le origini', ORIGIN_OPTIONS)}
      <Choice
        label="Ordine"
        all="Prima le più recenti"
        options={ORDER_OPTIONS}
        value={filters.order === 'asc' ? filters.order : undefined}
        onValue={(order) => change({ order })}
      />
      {choice('period', 'Periodo', 'Tutte le date', PERIOD_OPTIONS)}
      <Day label="Dal" value={filters.from} onValue={(from) => change({ from })} />
      <Day label="Al" value={filters.to} onValue={(to) => change({ to })} />
    </>
  );
}

interface DayProps {
  label: string;
  value: string | undefined;
  onValue: (day: string) => void;
}

function Day({ label, value = '', onValue }: DayProps) {
  const id = useId();
  return (
    <Row className={styles.day} gap={2} nowrap>
      <label htmlFor={id}>{label}</label>
      <TextInput
        id={id}
        type="date"
        value={value}
        max="9998-12-31"
        onChange={(event) => onValue(event.target.value)}
      />
    </Row>
  );
}

const COUNTED = [
  { stato: 'Nuova', label: 'Nuove', figure: 'new' },
  { stato: 'In lavorazione', label: 'In lavorazione', figure: 'inProgress' },
  { stato: 'Risolta', label: 'Risolte', figure: 'resolved' },
] as const;

const figureOf = (n: number | undefined) => (n === undefined ? '—' : formatNumber(n));

interface CounterProps {
  label: string;
  figure: keyof Figures;
  stato?: Stato;
  figures: Figures | undefined;
  filters: Filters;
}

function Counter({ label, figure, stato, figures, filters }: CounterProps) {
  return (
    <Link
      className={styles.chip ?? ''}
      to={paths.reports + writeFilters(withFilter({}, { stato }))}
      aria-current={filters.stato === stato && !isNarrowed(filters) ? 'true' : undefined}
    >
      {stato ? <i className={styles.dot} data-stato={stato} /> : null}
      {label} <b>{figureOf(figures?.[figure])}</b>
    </Link>
  );
}

interface CountProps {
  /** Reports of the filter; null where a search has found more than are shown. */
  matching: number | null | undefined;
  shown: number;
  filters: Filters;
  looking: boolean;
  onChange: ChangeFilters;
}

/** The count of a selection; the chips show the counts of the whole archive. */
export function Count({ matching, shown, filters, looking, onChange }: CountProps) {
  const number = matching === null ? `Oltre ${formatNumber(shown)}` : formatNumber(matching ?? 0);
  const narrowed = isFiltered(filters) || filters.order !== undefined;
  return (
    <Row className={styles.count} gap={2} data-shown={narrowed || looking || undefined}>
      {matching === undefined || !narrowed ? null : (
        <span>{matching === 1 ? '1 segnalazione' : `${number} segnalazioni`}</span>
      )}
      <span role="status">{looking ? 'Cerco anche nei racconti…' : ''}</span>
      {narrowed ? (
        <Button variant="quiet" onClick={() => onChange({})}>
          Azzera filtri
        </Button>
      ) : null}
    </Row>
  );
}
