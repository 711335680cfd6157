import type { RefObject } from 'react';
import { STATI } from '../common/stato';
import { type Command, useShortcuts } from '../keyboard/keyboard-context';
import { type ChangeFilters, type Filters, withFilter } from './filters';

/** Moves the focus by a row. The row's link carries it, so that Invio needs no command of ours. */
function step(results: HTMLElement | null, by: 1 | -1): void {
  const links = [...(results?.querySelectorAll<HTMLAnchorElement>('a[data-row-link]') ?? [])];
  const at = links.findIndex((link) => link.matches(':focus'));
  const next = at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1);
  links[next]?.focus();
  links[next]?.closest('tr')?.scrollIntoView({ block: 'nearest' });
}

interface ListKeyTargets {
  filters: Filters;
  onChange: ChangeFilters;
  results: RefObject<HTMLElement | null>;
  searchBox: RefObject<HTMLInputElement | null>;
  beside: boolean;
}

export function useListKeys({ filters, onChange, results, searchBox, beside }: ListKeyTargets): void {
  const rows: Command[] = [
    { keys: 'j', label: 'Riga successiva', run: () => step(results.current, 1), repeats: true },
    { keys: 'k', label: 'Riga precedente', run: () => step(results.current, -1), repeats: true },
    { keys: 'Enter', label: 'Apri la segnalazione evidenziata' },
    {
      keys: 'o',
      label: 'Apri, come Invio',
      run: () => results.current?.querySelector<HTMLElement>('a[data-row-link]:focus')?.click(),
    },
  ];
  useShortcuts('Nell’elenco', [
    ...(beside ? [] : rows),
    {
      keys: '/',
      label: 'Vai alla ricerca',
      run: () => {
        searchBox.current?.focus();
        searchBox.current?.select();
      },
    },
    {
      keys: 'x',
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
