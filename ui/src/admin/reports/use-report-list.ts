import { keepPreviousData, replaceEqualDeep, type UseQueryResult } from '@tanstack/react-query';
import { useMatch } from 'react-router-dom';
import type { ReportList } from '../../shared/api/schema';
import { type Asked, askedFor, type Filters, SEARCH_TIMEOUT_MS } from '../common/list/filters';
import { paths } from '../common/paths';
import { POLL_MS, pollEvery } from '../common/polling';
import { useRights } from '../common/session/session-context';
import { useRead } from '../common/use-read';
import { useSieges } from './use-sieges';

const LOOK_MS = 15_000;

export function useAsked(): (filters: Filters) => Asked {
  const sieges = useSieges();
  const { administers } = useRights();
  // Where it is unknown whether there are any, they are left out in any case.
  const aside = administers ? (sieges.data?.aside ?? 0) : 1;
  return (filters) => askedFor(filters, aside);
}

/** A search that also reads accounts; it takes a while in a large archive. */
function useAccounts(filters: Filters): UseQueryResult<ReportList> {
  const query = useAsked()(filters);
  return useRead('/reports', {
    with: { query, timeoutMs: SEARCH_TIMEOUT_MS },
    enabled: query.inText === true,
    refetchInterval: LOOK_MS,
  });
}

export function useLooking(filters: Filters): boolean {
  const { isPending, isError, fetchStatus } = useAccounts(filters);
  return isPending && !isError && fetchStatus !== 'idle';
}

export function useShownAsked(filters: Filters): Asked {
  const { inText, ...query } = useAsked()(filters);
  const { data, isError } = useAccounts(filters);
  return inText === true && (data !== undefined || isError) ? { ...query, inText } : query;
}

/** The page as it is now, with the open report among those it stood among: it does not vanish under the eyes by what is done with it. */
export function keepOpen(
  before: ReportList | undefined,
  now: ReportList,
  open: string | undefined,
): ReportList {
  const at = before?.data.findIndex(({ id }) => id === open) ?? -1;
  const row = before?.data[at];
  if (!row || now.data.some(({ id }) => id === open)) {
    return now;
  }
  const stood = new Map(before.data.map(({ id }, place) => [id, place]));
  const behind = now.data.findIndex(({ id }) => (stood.get(id) ?? -1) > at);
  const ahead = now.data.findLastIndex(({ id }) => (stood.get(id) ?? at) < at);
  const matching = now.matching === null ? null : now.matching + 1;
  return { ...now, matching, data: now.data.toSpliced(behind < 0 ? ahead + 1 : behind, 0, row) };
}

/** The page of these filters. What a search finds of persons is there at once, until accounts were looked through. */
export function useReportList(filters: Filters): UseQueryResult<ReportList> {
  const { inText, ...query } = useShownAsked(filters);
  const accounts = useAccounts(filters);
  const whole = inText === true;
  const open = useMatch(`${paths.reports}/:id`)?.params.id;
  const persons = useRead('/reports', {
    with: { query, timeoutMs: SEARCH_TIMEOUT_MS },
    enabled: !whole,
    placeholderData: keepPreviousData,
    structuralSharing: (before, now) =>
      replaceEqualDeep(before, keepOpen(before as ReportList | undefined, now as ReportList, open)),
    // The report beside it reads it too, and is opened anew with each.
    staleTime: POLL_MS,
    refetchInterval: pollEvery,
  });
  return whole ? accounts : persons;
}
