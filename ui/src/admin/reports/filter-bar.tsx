import { Search, X } from 'lucide-react';
import { type Ref, useEffect, useRef, useState } from 'react';
import { Button } from '../../shared/ui/button';
import { Checkbox } from '../../shared/ui/checkbox';
import { Field } from '../../shared/ui/field';
import { Row, Stack } from '../../shared/ui/layout';
import { type Option, SelectField } from '../../shared/ui/select';
import { TextInput } from '../../shared/ui/text-input';
import { DESK_OPTIONS } from '../common/departments';
import { STATO_OPTIONS } from '../common/stato';
import { type ChangeFilters, type Filters, isFiltered, SEARCH_CHARS, withFilter } from './filters';
import styles from './reports.module.css';

const PERIOD_OPTIONS: readonly Option<NonNullable<Filters['period']>>[] = [
  { value: 'today', label: 'Oggi' },
  { value: 'week', label: 'Ultimi 7 giorni' },
  { value: 'month', label: 'Ultimo mese' },
];

interface FilterBarProps {
  filters: Filters;
  onChange: ChangeFilters;
  searchBox: Ref<HTMLInputElement>;
  /** Reports whose reporter has written and was not read yet. */
  answers: number;
}

export function FilterBar({ filters, onChange, searchBox, answers }: FilterBarProps) {
  const change = (to: Parameters<typeof withFilter>[1]) => onChange(withFilter(filters, to));
  return (
    <Stack as="section" aria-label="Filtri">
      <SearchBox filters={filters} onChange={onChange} searchBox={searchBox} />
      <Row align="end" className={styles.choices}>
        <Choice
          label="Stato"
          all="Tutti gli stati"
          options={STATO_OPTIONS}
          value={filters.stato}
          onValue={(stato) => change({ stato })}
        />
        <Choice
          label="Periodo"
          all="Tutte le date"
          options={PERIOD_OPTIONS}
          value={filters.period}
          onValue={(period) => change({ period })}
        />
        <Choice
          label="Reparto"
          all="Tutti i reparti"
          options={DESK_OPTIONS}
          value={filters.department}
          onValue={(department) => change({ department })}
        />
        <Checkbox checked={filters.urgente === true} onChange={(urgente) => change({ urgente })}>
          Solo urgenti
        </Checkbox>
        {answers > 0 || filters.answer ? (
          <Checkbox
            checked={filters.answer === 'waiting'}
            onChange={(only) => change({ answer: only ? 'waiting' : '' })}
          >
            Messaggi da leggere ({answers})
          </Checkbox>
        ) : null}
        {isFiltered(filters) ? (
          <Button variant="quiet" onClick={() => onChange({})}>
            Azzera filtri
          </Button>
        ) : null}
      </Row>
    </Stack>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  all: string;
  options: readonly Option<Value>[];
  value: Value | undefined;
  onValue: (value: Value | '') => void;
}

function Choice<Value extends string>({ all, options, value = '' as Value, ...rest }: ChoiceProps<Value>) {
  return (
    <SelectField<Value | ''> {...rest} value={value} options={[{ value: '', label: all }, ...options]} />
  );
}

const DEBOUNCE_MS = 250;

/** Searches while one types. A search is one step of the history, however it was changed. */
function SearchBox({ filters, onChange, searchBox }: Omit<FilterBarProps, 'answers'>) {
  const [typed, setTyped] = useTyping(filters, onChange);
  return (
    <Row align="end" className={styles.search}>
      <Field label="Cerca">
        {(control) => (
          <div className={styles.box}>
            <Search className={styles.icon} aria-hidden="true" />
            <TextInput
              {...control}
              ref={searchBox}
              type="search"
              enterKeyHint="search"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              placeholder="Nome, email o telefono"
              aria-keyshortcuts="/"
              maxLength={SEARCH_CHARS}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Escape' && typed !== '') {
                  event.preventDefault();
                  setTyped('');
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
                  setTyped('');
                }}
              />
            )}
          </div>
        )}
      </Field>
      <Checkbox
        checked={filters.inText === true}
        onChange={(inText) => onChange(withFilter(filters, { inText }))}
      >
        Cerca anche nel testo
      </Checkbox>
    </Row>
  );
}

/** What is typed runs ahead of the address; a change of the address from elsewhere is taken over. */
function useTyping(filters: Filters, onChange: ChangeFilters) {
  const { search = '' } = filters;
  const [typed, setTyped] = useState(search);
  const sent = useRef(search);

  useEffect(() => {
    if (search !== sent.current) {
      sent.current = search;
      setTyped(search);
    }
  }, [search]);
  useEffect(() => {
    if (typed === sent.current) {
      return;
    }
    const timer = setTimeout(() => {
      sent.current = typed;
      onChange(withFilter(filters, { search: typed }), { replace: search !== '' });
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed, search, filters, onChange]);
  return [typed, setTyped] as const;
}
