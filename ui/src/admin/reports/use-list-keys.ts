import type { RefObject } from 'react';
import { STATI } from '../common/stato';
import { type Command, useShortcuts } from '../keyboard/keyboard-context';
import { type ChangeFilters, type Filters, withFilter } from './filters';

/** The link of the row that something stands in. */
export const rowOf = (inside: Element | null) =>
  inside?.closest('tr')?.querySelector<HTMLElement>('a[data-row-link]') ?? null;

/** Moves the focus by a row, and gives the report's id. The row's link carries it, so that Invio needs no command of ours. */
export function stepRow(within: ParentNode | null, by: 1 | -1): string | undefined {
  const links = [...(within?.querySelectorAll<HTMLElement>('a[data-row-link]') ?? [])];
  const present = rowOf(document.activeElement);
  const at = present ? links.indexOf(present) : -1;
  const next = links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)];
  next?.focus();
  next?.closest('tr')?.scrollIntoView({ block: 'nearest' });
  return next?.dataset.rowLink;
}

interface ListKeyTargets {
  filters: Filters;
  onChange: ChangeFilters;
  results: RefObject<HTMLElement | null>;
  searchBox: RefObject<HTMLInputElement | null>;
  beside: boolean;
  /** Whether the rows of these filters are there. */
  ready: boolean;
}

export function useListKeys({ filters, onChange, results, searchBox, beside, ready }: ListKeyTargets): void {
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
  const taken = ready ? rows : null;
  useShortcuts('Nell’elenco', beside ? [] : taken);
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
