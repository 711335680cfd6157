/** What narrows the list, in one line: status and period as fields, the rest as chips that go when pressed. */
import { X } from 'lucide-react';
import { formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { type Option, Select } from '../../shared/ui/select';
import {
  type ChangeFilters,
  type Filters,
  isFiltered,
  TABS,
  tabOf,
  withFilter,
} from '../common/list/filters';
import styles from '../common/list/list.module.css';
import { useRights } from '../common/session/session-context';
import { STATO_OPTIONS } from '../common/stato';
import { PERIOD_OPTIONS, useChips } from './conditions';
import { ViewKeeper } from './views';

interface ChipsProps {
  filters: Filters;
  onChange: ChangeFilters;
  /** Reports of the filter; null where a search has found more than are shown. */
  matching: number | null | undefined;
  shown: number;
  looking: boolean;
}

export function Chips({ filters, onChange, matching, shown, looking }: ChipsProps) {
  const { edits } = useRights();
  const chips = useChips(filters);
  const tab = tabOf(filters);
  const narrowed = isFiltered(filters) || filters.order !== undefined;
  if (tab && !narrowed && !looking) {
    return null;
  }
  const number = matching === null ? `Oltre ${formatNumber(shown)}` : formatNumber(matching ?? 0);
  const all = () => onChange(Object.fromEntries(TABS.map((name) => [name, name === tab])));
  return (
    <section className={styles.chips} aria-label="Filtri" data-line="">
      <Choice
        label="Stato"
        all="Tutti gli stati"
        options={STATO_OPTIONS}
        value={filters.stato}
        onValue={(stato) => onChange((now) => withFilter(now, { stato }))}
      />
      <Choice
        label="Periodo"
        all="Tutte le date"
        options={PERIOD_OPTIONS}
        value={filters.period}
        onValue={(period) => onChange((now) => withFilter(now, { period }))}
      />
      {chips.map(({ kind, label, change }) => (
        <button
          key={kind + label}
          type="button"
          className={styles.set}
          title={`${kind}: ${label}`}
          onClick={() =>
            onChange((now) =>
              withFilter(now, Object.fromEntries(Object.keys(change).map((name) => [name, null]))),
            )
          }
        >
          <span className="visually-hidden">Togli il filtro {kind} </span>
          <span>{label}</span>
          <X />
        </button>
      ))}
      <span className={styles.count}>
        {matching === undefined || !narrowed ? null : (
          <span>{matching === 1 ? '1 segnalazione' : `${number} segnalazioni`}</span>
        )}
        <span role="status">{looking ? 'Cerco anche nei racconti…' : ''}</span>
      </span>
      {narrowed && edits ? <ViewKeeper filters={filters} /> : null}
      {narrowed ? (
        <Button variant="quiet" onClick={all}>
          Togli tutti
        </Button>
      ) : null}
    </section>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  all: string;
  options: readonly Option<Value>[];
  value: Value | undefined;
  onValue: (value: Value | '') => void;
}

function Choice<Value extends string>({ label, all, options, value, onValue }: ChoiceProps<Value>) {
  return (
    <Select<Value | ''>
      aria-label={label}
      data-set={value ? '' : undefined}
      value={value ?? ''}
      options={[{ value: '', label: all }, ...options]}
      onValue={onValue}
    />
  );
}
