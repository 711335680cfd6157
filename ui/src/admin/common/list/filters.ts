/** The list's filters as the address bar holds them. Must be the only state of the list: Back and links restore it. */

import { useCallback, useLayoutEffect, useMemo, useRef } from 'react';
import { useLocation, useMatch, useNavigate } from 'react-router-dom';
import type { GetOptions } from '../../../shared/api/client';
import { CONSENT_KINDS } from '../consents';
import { paths, readTrail } from '../paths';
import { STATI } from '../stato';

/** The parameters of the server's list; a filter that is not set is absent. */
export type Asked = Omit<NonNullable<GetOptions<'/reports'>['query']>, 'limit'>;

/** The filters in the address. It does not say where a search looks: persons come at once, accounts as they are found. Nor does
 * it say that urgent reports stand on top: they do, unless the oldest come first. */
export type Filters = Omit<Asked, 'inText' | 'sort'>;

/** Milliseconds a search may take: looking through every account of a large archive takes seconds. */
export const SEARCH_TIMEOUT_MS = 60_000;

type FilterChange = { [Name in keyof Filters]: Filters[Name] | '' | null | undefined };

function onlySet(values: FilterChange): Filters {
  return Object.fromEntries(NAMES.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
}

export const ORIGINS = ['chat', 'telefono', 'lettera', 'di persona'] as const;

/** A day of the calendar as the address writes it, `2026-11-20`. */
function dayOf(text: string | null): string | undefined {
  const day = /^\d{4}-\d\d-\d\d$/.exec(text ?? '')?.[0];
  const time = Date.parse(day ?? '');
  // The 31st of February is read as a day of March.
  const known = day && !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
  return known ? day : undefined;
}

function valuesIn(params: URLSearchParams): FilterChange {
  const oneOf = <const Value extends string>(name: keyof Filters, known: readonly Value[]) =>
    known.find((value) => value === params.get(name));
  const yes = (name: keyof Filters) => params.get(name) === 'true';
  return {
    search: params.get('search'),
    stato: oneOf('stato', STATI),
    period: oneOf('period', ['today', 'week', 'month']),
    from: dayOf(params.get('from')),
    to: dayOf(params.get('to')),
    department: /^[a-z0-9-]{2,30}$/.exec(params.get('department') ?? '')?.[0],
    origin: oneOf('origin', ORIGINS),
    callout: /^[0-9a-f-]{36}$/.exec(params.get('callout') ?? '')?.[0],
    story: /^[0-9a-f-]{36}$/.exec(params.get('story') ?? '')?.[0],
    label: Number(/^\d{1,2}$/.exec(params.get('label') ?? '')?.[0] ?? 0) || undefined,
    assignedTo: /^(me|none|[0-9a-f-]{36})$/.exec(params.get('assignedTo') ?? '')?.[0],
    urgente: yes('urgente'),
    unread: yes('unread'),
    files: yes('files'),
    due: oneOf('due', ['soon', 'late']),
    snoozed: yes('snoozed'),
    todo: yes('todo'),
    archived: yes('archived'),
    sospette: yes('sospette'),
    aside: yes('aside'),
    answer: yes('answer'),
    withdrawal: yes('withdrawal'),
    waiting: yes('waiting'),
    consent: oneOf('consent', CONSENT_KINDS),
    order: oneOf('order', ['asc']),
    cursor: params.get('cursor'),
  };
}

/** In the order in which an address has them. */
const NAMES = Object.keys(valuesIn(new URLSearchParams())) as (keyof Filters)[];

/** Reads the filters of an address; what is not understood counts as not set. */
export const readFilters = (params: URLSearchParams): Filters => onlySet(valuesIn(params));

export function writeFilters(filters: Filters): string {
  const query = new URLSearchParams(
    Object.entries(onlySet(filters)).map(([name, value]) => [name, String(value)]),
  ).toString();
  return query ? `?${query}` : '';
}

/** The lists that have a tab; 'Tutte' is the one without a name in the address. */
export const TABS = ['todo', 'urgente', 'answer'] as const;
export type Tab = (typeof TABS)[number];

export const tabOf = (filters: Filters): Tab | undefined => TABS.find((tab) => filters[tab]);

/** What is looked for among all reports: the other tabs hold next to none of it. */
const AMONG_ALL = ['search', 'stato', 'archived', 'snoozed', 'sospette', 'aside'] as const;

/** The filters after a change: another selection starts again on its first page. */
export function withFilter(filters: Filters, change: FilterChange): Filters {
  const all = AMONG_ALL.some((name) => change[name]);
  return onlySet({
    ...filters,
    ...(all && { todo: false, urgente: false, answer: false }),
    cursor: null,
    ...change,
  });
}

/** Whether anything narrows the list of its tab; the page, the order and what is set aside do not. */
export function isFiltered({ sospette, order, cursor, search, ...others }: Filters): boolean {
  const tab = tabOf(others);
  const rest = Object.entries(others).filter(([name]) => name !== tab);
  return Boolean(search?.trim()) || rest.some(([, value]) => Boolean(value));
}

/** Letters from which on accounts are searched too: fewer stand in nearly all of them. */
const TEXT_LETTERS = 3;

/** The parameters of the server's list: what is set aside or archived stays out, unless it is asked for or searched, or its
 * reporter waits for an answer. */
export function askedFor({ archived, ...filters }: Filters, aside: number): Asked {
  const { search, sospette, stato, story, callout, todo, answer, aside: ofSender } = filters;
  const inText = (search?.trim().length ?? 0) >= TEXT_LETTERS;
  const whole = archived || search || sospette || stato || story || callout || todo || answer || ofSender;
  return {
    ...filters,
    ...(inText && { inText }),
    ...(aside > 0 && !search && !sospette && !answer && !ofSender && { sospette: false }),
    ...(!whole && { archived: false }),
    ...(!filters.order && ({ sort: 'urgent' } as const)),
  };
}

/** Takes the filters to be, or what makes them out of those that are: the page may not have been drawn since the last change. */
export type ChangeFilters = (
  filters: Filters | ((now: Filters) => Filters),
  options?: { replace: boolean },
) => void;

/** The filters of the address bar; beside an open report, whose address is its own, they stand in the history step. */
export function useFilters(): [Filters, ChangeFilters] {
  const { search, state } = useLocation();
  const beside = useMatch(`${paths.reports}/:id`) !== null;
  const query = beside ? (readTrail(state).list ?? '') : search;
  const navigate = useNavigate();
  const filters = useMemo(() => readFilters(new URLSearchParams(query)), [query]);
  const now = useRef(filters);
  useLayoutEffect(() => {
    now.current = filters;
  }, [filters]);
  const change = useCallback<ChangeFilters>(
    (next, { replace } = { replace: false }) => {
      now.current = typeof next === 'function' ? next(now.current) : next;
      const list = writeFilters(now.current);
      if (beside) {
        navigate({}, { replace, state: { list }, preventScrollReset: true });
      } else {
        navigate({ search: list }, { replace });
      }
    },
    [navigate, beside],
  );
  return [filters, change];
}
