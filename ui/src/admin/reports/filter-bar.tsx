import { SlidersHorizontal } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { Link } from 'react-router-dom';
import type { Counters as Figures } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Row } from '../../shared/ui/layout';
import type { Option } from '../../shared/ui/select';
import { TextInput } from '../../shared/ui/text-input';
import { DESK_OPTIONS } from '../common/departments';
import { useLabels } from '../common/labels/labels';
import { paths } from '../common/paths';
import { usePeople, usePeopleOptions } from '../common/people/people';
import { STATO_OPTIONS, type Stato, toneOf } from '../common/stato';
import { useRights } from '../session/session-context';
import { Choice } from './choice';
import {
  type ChangeFilters,
  type Filters,
  isFiltered,
  isNarrowed,
  ORIGINS,
  withFilter,
  writeFilters,
} from './filters';
import { ORIGIN_NAMES } from './report-table';
import styles from './reports.module.css';
import { ViewKeeper } from './views';

const PERIOD_OPTIONS: readonly Option<NonNullable<Filters['period']>>[] = [
  { value: 'today', label: 'Oggi' },
  { value: 'week', label: 'Ultimi 7 giorni' },
  { value: 'month', label: 'Ultimo mese' },
];
const ORIGIN_OPTIONS = ORIGINS.map((value) => ({ value, label: ORIGIN_NAMES[value] }));
const ORDER_OPTIONS: readonly Option<NonNullable<Filters['order']>>[] = [
  { value: 'asc', label: 'Prima le più vecchie' },
  { value: 'alike', label: 'Raggruppa simili' },
];

interface FilterBarProps {
  filters: Filters;
  onChange: ChangeFilters;
  figures: Figures | undefined;
  answers: number;
  withdrawals: number;
  /** Beside an open report there is less room, and the counters stand elsewhere. */
  beside: boolean;
  children?: ReactNode;
}

export function FilterBar({
  filters,
  onChange,
  figures,
  answers,
  withdrawals,
  beside,
  children,
}: FilterBarProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const change = (to: Parameters<typeof withFilter>[1]) => onChange(withFilter(filters, to));
  const folded = foldedOf(filters);
  const { who, edits, sees } = useRights();
  const { present } = usePeople();
  const toggles = [
    { name: 'urgente', value: true, label: 'Urgenti', shown: true },
    { name: 'assignedTo', value: 'me', label: 'Le mie', shown: who !== null },
    { name: 'assignedTo', value: 'none', label: 'Non assegnate', shown: present.length > 0 },
    {
      name: 'answer',
      value: 'waiting',
      label: `Messaggi (${answers})`,
      shown: answers > 0 || filters.answer,
    },
    {
      name: 'withdrawal',
      value: true,
      label: `Da ritirare (${withdrawals})`,
      shown: withdrawals > 0 || filters.withdrawal,
    },
  ] as const;
  return (
    <section className={styles.bar} aria-label="Filtri" data-open={open || undefined}>
      <div className={styles.chips}>
        {beside ? null : <Counters figures={figures} filters={filters} />}
        {toggles.map(({ name, value, label, shown }) =>
          shown ? (
            <Toggle
              key={`${name} ${value}`}
              pressed={filters[name] === value}
              onPress={(on) => change({ [name]: on ? value : '' })}
            >
              {label}
            </Toggle>
          ) : null,
        )}
      </div>
      <Choice
        label="Reparto"
        all="Tutti i reparti"
        options={DESK_OPTIONS.filter(({ value }) => sees(value))}
        value={filters.department}
        onValue={(department) => change({ department })}
      />
      <Button
        aria-expanded={open}
        aria-controls={id}
        icon={<SlidersHorizontal />}
        onClick={() => setOpen(!open)}
      >
        {folded > 0 ? `Filtri (${folded})` : 'Filtri'}
      </Button>
      <div className={styles.folded} id={id} hidden={!open}>
        <Folded filters={filters} change={change} />
        {edits ? <ViewKeeper filters={filters} /> : null}
        {children}
      </div>
    </section>
  );
}

function foldedOf({ stato, origin, label, assignedTo, period, from, to, order }: Filters): number {
  const person = assignedTo !== 'me' && assignedTo !== 'none' && assignedTo;
  return [stato === 'Archiviata', origin, label, person, period, from, to, order].filter(Boolean).length;
}

interface FoldedProps {
  filters: Filters;
  change: (to: Parameters<typeof withFilter>[1]) => void;
}

function Folded({ filters, change }: FoldedProps) {
  const labels = useLabels().map(({ id, name }) => ({ value: String(id), label: name }));
  const people = usePeopleOptions();
  const { nameOf } = usePeople();
  const { assignedTo } = filters;
  const person = assignedTo === 'me' || assignedTo === 'none' ? undefined : assignedTo;
  // A removed person can still be looked for.
  const gone = people.every(({ value }) => value !== person) ? nameOf(person) : undefined;
  return (
    <>
      {people.length > 0 || gone ? (
        <Choice
          label="Assegnata a"
          all="Assegnate a chiunque"
          options={person && gone ? [...people, { value: person, label: gone }] : people}
          value={person}
          onValue={(to) => change({ assignedTo: to })}
        />
      ) : null}
      <Choice
        label="Stato"
        all="Tutti gli stati"
        options={STATO_OPTIONS}
        value={filters.stato}
        onValue={(stato) => change({ stato })}
      />
      {labels.length > 0 ? (
        <Choice
          label="Etichetta"
          all="Tutte le etichette"
          options={labels}
          value={filters.label === undefined ? undefined : String(filters.label)}
          onValue={(label) => change({ label: label === '' ? undefined : Number(label) })}
        />
      ) : null}
      <Choice
        label="Origine"
        all="Tutte le origini"
        options={ORIGIN_OPTIONS}
        value={filters.origin}
        onValue={(origin) => change({ origin })}
      />
      <Choice
        label="Ordine"
        all="Prima le più recenti"
        options={ORDER_OPTIONS}
        value={filters.order === 'desc' ? undefined : filters.order}
        onValue={(order) => change({ order })}
      />
      <Choice
        label="Periodo"
        all="Tutte le date"
        options={PERIOD_OPTIONS}
        value={filters.period}
        onValue={(period) => change({ period })}
      />
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

interface ToggleProps {
  pressed: boolean;
  onPress: (pressed: boolean) => void;
  children: ReactNode;
}

function Toggle({ pressed, onPress, children }: ToggleProps) {
  return (
    <button type="button" className={styles.chip} aria-pressed={pressed} onClick={() => onPress(!pressed)}>
      {children}
    </button>
  );
}

const COUNTED: readonly { label: string; figure: keyof Figures; stato: Stato | null }[] = [
  { label: 'Totale', figure: 'total', stato: null },
  { label: 'Nuove', figure: 'new', stato: 'Nuova' },
  { label: 'In lavorazione', figure: 'inProgress', stato: 'In lavorazione' },
  { label: 'Risolte', figure: 'resolved', stato: 'Risolta' },
];

function Counters({ figures, filters }: { figures: Figures | undefined; filters: Filters }) {
  return (
    <nav aria-label="Riepilogo delle segnalazioni">
      {COUNTED.map(({ label, figure, stato }) => (
        <Link
          key={figure}
          className={styles.chip ?? ''}
          data-tone={stato ? toneOf(stato) : undefined}
          to={paths.reports + writeFilters(withFilter({}, { stato }))}
          aria-current={(filters.stato ?? null) === stato && !isNarrowed(filters) ? 'true' : undefined}
        >
          {label}
          <b>{figures ? formatNumber(figures[figure]) : '—'}</b>
        </Link>
      ))}
    </nav>
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

export function Count({ matching, shown, filters, looking, onChange }: CountProps) {
  const number = matching === null ? `Oltre ${formatNumber(shown)}` : formatNumber(matching ?? 0);
  return (
    <Row className={styles.count}>
      {matching === undefined ? null : (
        <span>{matching === 1 ? '1 segnalazione' : `${number} segnalazioni`}</span>
      )}
      <span role="status">{looking ? 'Cerco anche nei racconti…' : ''}</span>
      {isFiltered(filters) || filters.order ? (
        <Button variant="quiet" onClick={() => onChange({})}>
          Azzera filtri
        </Button>
      ) : null}
    </Row>
  );
}
