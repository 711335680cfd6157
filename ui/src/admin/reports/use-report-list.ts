import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query';
import type { ReportList } from '../../shared/api/schema';
import { type Asked, askedFor, type Filters, SEARCH_TIMEOUT_MS } from '../common/list/filters';
import { POLL_MS, pollEvery } from '../common/polling';
import { useRights } from '../common/session/session-context';
import { useRead } from '../common/use-read';
import { useUrgentFirst } from './urgent-first';
import { useSieges } from './use-sieges';

const LOOK_MS = 15_000;

export function useAsked(): (filters: Filters) => Asked {
  const sieges = useSieges();
  const { administers } = useRights();
  // Where it is unknown whether there are any, they are left out in any case.
  const aside = administers ? (sieges.data?.aside ?? 0) : 1;
  const [urgentFirst] = useUrgentFirst();
  return (filters) => askedFor(filters, aside, urgentFirst);
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

/** The page of these filters. What a search finds of persons is there at once, until accounts were looked through. */
export function useReportList(filters: Filters): UseQueryResult<ReportList> {
  const { inText, ...query } = useShownAsked(filters);
  const accounts = useAccounts(filters);
  const whole = inText === true;
  const persons = useRead('/reports', {
    with: { query, timeoutMs: SEARCH_TIMEOUT_MS },
    enabled: !whole,
    placeholderData: keepPreviousData,
    // The report beside it reads it too, and is opened anew with each.
    staleTime: POLL_MS,
    refetchInterval: pollEvery,
  });
  return whole ? accounts : persons;
}
