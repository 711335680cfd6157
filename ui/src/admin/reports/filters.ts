/** The list's filters as the address bar holds them. Must be the only state of the list: Back and links restore it. */
import { isStato, type Stato } from '../common/stato';

export const PERIODS = ['today', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

export interface Filters {
  stato: Stato | null;
  period: Period | null;
  /** Place in the list as the server named it; null is the first page. */
  cursor: string | null;
}

export const NO_FILTERS: Filters = { stato: null, period: null, cursor: null };

function isPeriod(value: string | null): value is Period {
  return PERIODS.some((period) => period === value);
}

/** Reads the filters of an address; what is not understood counts as not set. */
export function readFilters(params: URLSearchParams): Filters {
  const stato = params.get('stato');
  const period = params.get('period');
  return {
    stato: isStato(stato) ? stato : null,
    period: isPeriod(period) ? period : null,
    cursor: params.get('cursor') || null,
  };
}

/** Query of the address for these filters, with its question mark; empty when none is set. */
export function writeFilters(filters: Filters): string {
  const params = new URLSearchParams();
  for (const name of ['stato', 'period', 'cursor'] as const) {
    const value = filters[name];
    if (value) {
      params.set(name, value);
    }
  }
  const query = params.toString();
  return query ? `?${query}` : '';
}

/** The filters after a change: another selection starts again on its first page. */
export function withFilter(filters: Filters, change: Partial<Omit<Filters, 'cursor'>>): Filters {
  return { ...filters, ...change, cursor: null };
}

/** Whether anything narrows the list; the page alone does not. */
export function isFiltered(filters: Filters): boolean {
  return filters.stato !== null || filters.period !== null;
}
