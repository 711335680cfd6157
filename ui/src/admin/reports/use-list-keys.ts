import type { RefObject } from 'react';
import { type ChangeFilters, type Filters, withFilter } from '../common/list/filters';
import { stepRow } from '../common/list/rows';
import { STATI } from '../common/stato';
import { type Command, useShortcuts } from '../keyboard/keyboard-context';

interface ListKeyTargets {
  filters: Filters;
  onChange: ChangeFilters;
  results: RefObject<HTMLElement | null>;
  searchBox: RefObject<HTMLInputElement | null>;
  beside: boolean;
  /** Whether the rows of these filters are there. */
  ready: boolean;
}

/** The keys that go from row to row; they wait until the rows are there. */
export function useRowKeys(results: RefObject<HTMLElement | null>, beside: boolean, ready: boolean): void {
  const rows: Command[] = [
    { keys: 'j', label: 'Riga successiva', run: () => stepRow(results.current, 1), repeats: true },
    { keys: 'k', label: 'Riga precedente', run: () => stepRow(results.current, -1), repeats: true },
    { keys: 'Enter', label: 'Apri la segnalazione evidenziata' },
    {
      keys: 'o',
      label: 'Apri, come Invio',
      run: () => results.current?.querySelector<HTMLElement>('a[data-row-link]:focus')?.click(),
    },
  ];
  useShortcuts('Nell’elenco', beside ? [] : rows, !beside && !ready);
}

export function useListKeys({ filters, onChange, results, searchBox, beside, ready }: ListKeyTargets): void {
  useRowKeys(results, beside, ready);
  useShortcuts('Nell’elenco', [
    {
      keys: '/',
      label: 'Vai alla ricerca',
      run: () => {
        searchBox.current?.focus();
        searchBox.current?.select();
      },
    },
    {
      keys: 'f 0',
      label: 'Azzera i filtri',
      run: () => onChange({}),
    },
    ...STATI.map((stato, index) => ({
      keys: `f ${index + 1}`,
      label: `Mostra solo: ${stato}`,
      run: () => onChange(withFilter(filters, { stato })),
    })),
  ]);
}
