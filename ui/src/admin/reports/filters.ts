/** The list's filters as the address bar holds them. Must be the only state of the list: Back and links restore it. */

import { useCallback, useMemo } from 'react';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { type Desk, isDesk } from '../common/departments';
import { isStato, type Stato } from '../common/stato';

const PERIODS = ['today', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

export interface Filters {
  /** Text to look for; empty when none is. */
  search: string;
  /** Looks for it inside the accounts as well. */
  inText: boolean;
  stato: Stato | null;
  period: Period | null;
  department: Desk | null;
  /** Only reports whose wording suggests harm. */
  urgente: boolean;
  /** Place in the list as the server named it; null is the first page. */
  cursor: string | null;
}

export const NO_FILTERS: Filters = {
  search: '',
  inText: false,
  stato: null,
  period: null,
  department: null,
  urgente: false,
  cursor: null,
};

/** Most characters the server looks for. */
export const SEARCH_CHARS = 200;

function isPeriod(value: string | null): value is Period {
  return PERIODS.some((period) => period === value);
}

/** Reads the filters of an address; what is not understood counts as not set. */
export function readFilters(params: URLSearchParams): Filters {
  const stato = params.get('stato');
  const period = params.get('period');
  const department = params.get('department');
  return {
    search: [...(params.get('search') ?? '')].slice(0, SEARCH_CHARS).join(''),
    inText: params.get('inText') === 'true',
    stato: isStato(stato) ? stato : null,
    period: isPeriod(period) ? period : null,
    department: isDesk(department) ? department : null,
    urgente: params.get('urgente') === 'true',
    cursor: params.get('cursor') || null,
  };
}

/** Query of the address for these filters, with its question mark; empty when none is set. */
export function writeFilters(filters: Filters): string {
  const query = new URLSearchParams(queryOf(filters)).toString();
  return query ? `?${query}` : '';
}

/** The filters that are set, by the names of the address bar, which are those of the server. */
export function queryOf(filters: Filters): Record<string, string> {
  const { search, inText, stato, period, department, urgente, cursor } = filters;
  const all = {
    search,
    inText: inText ? 'true' : '',
    stato,
    period,
    department,
    urgente: urgente ? 'true' : '',
    cursor,
  };
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/** The filters after a change: another selection starts again on its first page. */
export function withFilter(filters: Filters, change: Partial<Omit<Filters, 'cursor'>>): Filters {
  return { ...filters, ...change, cursor: null };
}

/** Whether anything narrows the list; the page alone does not. */
export function isFiltered(filters: Filters): boolean {
  return isNarrowed(filters) || filters.stato !== null;
}

/** Whether anything beside the status narrows it. */
export function isNarrowed({ search, period, department, urgente }: Filters): boolean {
  return search.trim() !== '' || period !== null || department !== null || urgente;
}

/** Whether the answer comes from the search index: what it looks at lies sealed. */
export function usesIndex({ search, inText, urgente }: Filters): boolean {
  return search.trim() === '' ? urgente : !inText;
}

export type ChangeFilters = (filters: Filters, options?: { replace: boolean }) => void;

/** The filters of the address bar, and how to change them: each change is a step that Back undoes, unless it replaces. */
export function useFilters(): [Filters, ChangeFilters] {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const filters = useMemo(() => readFilters(params), [params]);
  const change = useCallback<ChangeFilters>(
    (next, { replace } = { replace: false }) => navigate({ search: writeFilters(next) }, { replace }),
    [navigate],
  );
  return [filters, change];
}
