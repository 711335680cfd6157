import { Search, X } from 'lucide-react';
import { type Ref, useEffect, useRef, useState } from 'react';
import { Button } from '../../shared/ui/button';
import { Checkbox } from '../../shared/ui/checkbox';
import { Field } from '../../shared/ui/field';
import { Row, Stack } from '../../shared/ui/layout';
import { type Option, SelectField } from '../../shared/ui/select';
import { TextInput } from '../../shared/ui/text-input';
import { DESKS, type Desk } from '../common/departments';
import { STATI, type Stato } from '../common/stato';
import {
  type ChangeFilters,
  type Filters,
  isFiltered,
  NO_FILTERS,
  type Period,
  SEARCH_CHARS,
  withFilter,
} from './filters';
import styles from './reports.module.css';

const STATO_OPTIONS: readonly Option<Stato | ''>[] = [
  { value: '', label: 'Tutti gli stati' },
  ...STATI.map((stato) => ({ value: stato, label: stato })),
];

const PERIOD_OPTIONS: readonly Option<Period | ''>[] = [
  { value: '', label: 'Tutte le date' },
  { value: 'today', label: 'Oggi' },
  { value: 'week', label: 'Ultimi 7 giorni' },
  { value: 'month', label: 'Ultimo mese' },
];

const DEPARTMENT_OPTIONS: readonly Option<Desk | ''>[] = [
  { value: '', label: 'Tutti i reparti' },
  ...DESKS.map(({ key, name }) => ({ value: key, label: name })),
];

interface FilterBarProps {
  filters: Filters;
  onChange: ChangeFilters;
  searchBox: Ref<HTMLInputElement>;
}

export function FilterBar({ filters, onChange, searchBox }: FilterBarProps) {
  return (
    <Stack as="section" aria-label="Filtri">
      <SearchBox ref={searchBox} filters={filters} onChange={onChange} />
      <Row align="end" className={styles.choices}>
        <SelectField
          label="Stato"
          value={filters.stato ?? ''}
          options={STATO_OPTIONS}
          onValue={(stato) => onChange(withFilter(filters, { stato: stato || null }))}
        />
        <SelectField
          label="Periodo"
          value={filters.period ?? ''}
          options={PERIOD_OPTIONS}
          onValue={(period) => onChange(withFilter(filters, { period: period || null }))}
        />
        <SelectField
          label="Reparto"
          value={filters.department ?? ''}
          options={DEPARTMENT_OPTIONS}
          onValue={(department) => onChange(withFilter(filters, { department: department || null }))}
        />
        <Checkbox
          checked={filters.urgente}
          onChange={(urgente) => onChange(withFilter(filters, { urgente }))}
        >
          Solo urgenti
        </Checkbox>
        {isFiltered(filters) ? (
          <Button variant="quiet" onClick={() => onChange(NO_FILTERS)}>
            Azzera filtri
          </Button>
        ) : null}
      </Row>
    </Stack>
  );
}

/** Milliseconds after the last letter before the search goes out. */
const DEBOUNCE_MS = 250;

interface SearchBoxProps {
  filters: Filters;
  onChange: ChangeFilters;
  ref: Ref<HTMLInputElement>;
}

/** Searches while one types. One visit to the box is one step of the history, whatever is typed in it. */
function SearchBox({ filters, onChange, ref }: SearchBoxProps) {
  const { typed, type, visit } = useTyping(filters, onChange);
  return (
    <Row align="end" className={styles.search}>
      <Field label="Cerca">
        {(control) => (
          <div className={styles.box}>
            <Search className={styles.icon} aria-hidden="true" />
            <TextInput
              {...control}
              ref={ref}
              type="search"
              enterKeyHint="search"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              placeholder="Nome, email o telefono"
              aria-keyshortcuts="/"
              maxLength={SEARCH_CHARS}
              value={typed}
              onFocus={visit}
              onChange={(event) => type(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Escape' && typed !== '') {
                  event.preventDefault();
                  type('', true);
                } else if (event.key === 'Enter') {
                  type(typed, true);
                }
              }}
            />
            {typed === '' ? null : (
              <Button
                variant="icon"
                className={styles.clear}
                aria-label="Cancella la ricerca"
                icon={<X aria-hidden="true" />}
                onClick={(event) => {
                  // The button goes with the text: the focus stays where one goes on typing.
                  event.currentTarget.parentElement?.querySelector('input')?.focus();
                  type('', true);
                }}
              />
            )}
          </div>
        )}
      </Field>
      <Checkbox checked={filters.inText} onChange={(inText) => onChange(withFilter(filters, { inText }))}>
        Cerca anche nel testo
      </Checkbox>
    </Row>
  );
}

/** What is typed runs ahead of the address; a change of the address from elsewhere is taken over. */
function useTyping(filters: Filters, onChange: ChangeFilters) {
  const [typed, setTyped] = useState(filters.search);
  const sent = useRef(filters.search);
  const replaces = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef(filters);

  useEffect(() => {
    latest.current = filters;
    if (filters.search !== sent.current) {
      clearTimeout(timer.current);
      sent.current = filters.search;
      replaces.current = false;
      setTyped(filters.search);
    }
  }, [filters]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const send = (text: string) => {
    if (text === sent.current) {
      return;
    }
    sent.current = text;
    onChange(withFilter(latest.current, { search: text }), { replace: replaces.current });
    replaces.current = true;
  };
  return {
    typed,
    /** The box was entered: what is typed from here on is a new step. */
    visit: () => {
      replaces.current = false;
    },
    type: (text: string, now = false) => {
      setTyped(text);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => send(text), now ? 0 : DEBOUNCE_MS);
    },
  };
}
