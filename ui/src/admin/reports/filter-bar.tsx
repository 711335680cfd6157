import type { Ref } from 'react';
import { Button } from '../../shared/ui/button';
import { Checkbox } from '../../shared/ui/checkbox';
import { Field } from '../../shared/ui/field';
import { Row, Stack } from '../../shared/ui/layout';
import { type Option, Select } from '../../shared/ui/select';
import { DESKS, type Desk } from '../common/departments';
import { STATI, type Stato } from '../common/stato';
import { type Filters, isFiltered, NO_FILTERS, type Period, withFilter } from './filters';
import styles from './reports.module.css';
import { SearchBox } from './search-box';
import type { ChangeFilters } from './use-filters';

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
        <Field label="Stato">
          {(control) => (
            <Select
              {...control}
              value={filters.stato ?? ''}
              options={STATO_OPTIONS}
              onValue={(stato) => onChange(withFilter(filters, { stato: stato || null }))}
            />
          )}
        </Field>
        <Field label="Periodo">
          {(control) => (
            <Select
              {...control}
              value={filters.period ?? ''}
              options={PERIOD_OPTIONS}
              onValue={(period) => onChange(withFilter(filters, { period: period || null }))}
            />
          )}
        </Field>
        <Field label="Reparto">
          {(control) => (
            <Select
              {...control}
              value={filters.department ?? ''}
              options={DEPARTMENT_OPTIONS}
              onValue={(department) => onChange(withFilter(filters, { department: department || null }))}
            />
          )}
        </Field>
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
