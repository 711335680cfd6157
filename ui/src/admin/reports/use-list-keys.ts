import type { RefObject } from 'react';
import { STATI } from '../common/stato';
import { useShortcuts } from '../keyboard/keyboard-context';
import { type ChangeFilters, type Filters, withFilter } from './filters';

/** The link of each row; it carries the focus, so that Invio needs no command of ours. */
function linksIn(results: HTMLElement | null): HTMLAnchorElement[] {
  return [...(results?.querySelectorAll<HTMLAnchorElement>('a[data-row-link]') ?? [])];
}

/** Moves the focus to the row before or after the one that has it; without one, to the first. */
function step(results: HTMLElement | null, by: 1 | -1): void {
  const links = linksIn(results);
  const at = links.findIndex((link) => link.matches(':focus'));
  const next = at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1);
  links[next]?.focus();
  links[next]?.closest('tr')?.scrollIntoView({ block: 'nearest' });
}

function openFocused(results: HTMLElement | null): void {
  linksIn(results)
    .find((link) => link === document.activeElement)
    ?.click();
}

interface Parts {
  filters: Filters;
  onChange: ChangeFilters;
  results: RefObject<HTMLElement | null>;
  searchBox: RefObject<HTMLInputElement | null>;
}

/** The keys of the list. */
export function useListKeys({ filters, onChange, results, searchBox }: Parts): void {
  useShortcuts('Nell’elenco', [
    { keys: 'j', label: 'Riga successiva', run: () => step(results.current, 1), repeats: true },
    { keys: 'k', label: 'Riga precedente', run: () => step(results.current, -1), repeats: true },
    { keys: 'Enter', label: 'Apri la segnalazione evidenziata' },
    { keys: 'o', label: 'Apri, come Invio', run: () => openFocused(results.current) },
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
