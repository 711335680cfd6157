/** Where the focus goes in the list, and what of it stays in sight. */
import { type RefObject, useEffect, useRef } from 'react';
import type { ReportList } from '../../shared/api/schema';
import { announce } from '../../shared/ui/announcer';
import { isProblem } from '../common/errors';
import { type ChangeFilters, type Filters, withFilter } from '../common/list/filters';

/** A page that the server does not know, of an address that was typed or cut off, is not worth a message. */
export function useFirstPageInstead(filters: Filters, error: unknown, onChange: ChangeFilters): void {
  const unknown = filters.cursor && isProblem(error, 'dati-non-validi') && 'cursor' in error.errors;
  useEffect(() => {
    if (unknown) {
      onChange(withFilter(filters, {}), { replace: true });
    }
  }, [unknown, filters, onChange]);
}

/** The row of the open report stays in sight; once it is closed, it has the focus. */
export function useOpenRow(
  open: string | undefined,
  results: RefObject<HTMLElement | null>,
  list: unknown,
): void {
  const before = useRef(open);
  useEffect(() => {
    const row = (id: string) =>
      results.current?.querySelector<HTMLElement>(`a[data-row-link][href$="/${CSS.escape(id)}"]`);
    if (open !== undefined && list) {
      row(open)?.closest('tr')?.scrollIntoView({ block: 'nearest' });
    } else if (before.current !== undefined) {
      const left = row(before.current);
      left?.focus({ preventScroll: true });
      left?.closest('tr')?.scrollIntoView({ block: 'center' });
    }
    before.current = open;
  }, [open, results, list]);
}

/** After a change of page the focus goes to the rows, else it would be left on a link far below them. */
export function useFocusOnPaging(cursor: string | undefined, list: ReportList | undefined) {
  const ref = useRef<HTMLElement>(null);
  const shown = useRef(cursor);
  useEffect(() => {
    if (list && shown.current !== cursor) {
      shown.current = cursor;
      ref.current?.focus({ preventScroll: true });
      ref.current?.scrollIntoView({ block: 'nearest' });
      announce(`Pagina aggiornata: ${list.data.length} segnalazioni.`);
    }
  }, [cursor, list]);
  return ref;
}
