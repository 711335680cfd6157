/** A page of the list, kept up to date: list and open report share one reading of it. */
import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query';
import type { ReportList } from '../../shared/api/schema';
import { pollEvery } from '../common/polling';
import { useRead } from '../common/use-read';
import { askedFor, type Filters, SEARCH_TIMEOUT_MS } from './filters';
import { useSieges } from './use-sieges';

/** What the server is asked for these filters. */
export function useAsked(): (filters: Filters) => Filters {
  const aside = useSieges().data?.aside ?? 0;
  return (filters) => askedFor(filters, aside);
}

export function useReportList(filters: Filters): UseQueryResult<ReportList> {
  const query = useAsked()(filters);
  return useRead('/reports', {
    with: { query, timeoutMs: SEARCH_TIMEOUT_MS },
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery,
  });
}
