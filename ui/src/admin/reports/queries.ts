import { keepPreviousData, queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../shared/api/client';
import type { ReportList } from '../../shared/api/schema';
import { isBackground, pollEvery } from '../common/polling';
import type { Filters } from './filters';

/** Milliseconds a search may take: looking through every account of a large archive takes seconds. */
const SEARCH_TIMEOUT_MS = 60_000;

/** One page of the list, as it is asked for. */
export function reportsQuery(filters: Filters) {
  const { search, inText, stato, period, department, urgente, cursor } = filters;
  return queryOptions<ReportList>({
    queryKey: ['reports', filters],
    queryFn: ({ client, queryKey, signal }) =>
      call('get', '/reports', {
        query: {
          ...(search.trim() ? { search, inText } : {}),
          ...(stato ? { stato } : {}),
          ...(period ? { period } : {}),
          ...(department ? { department } : {}),
          ...(urgente ? { urgente } : {}),
          ...(cursor ? { cursor } : {}),
        },
        background: isBackground(client, queryKey),
        timeoutMs: SEARCH_TIMEOUT_MS,
        signal,
      }),
  });
}

/** One page of the list, kept up to date; the previous page stays on screen while another one loads. */
export function useReports(filters: Filters): UseQueryResult<ReportList> {
  return useQuery({
    ...reportsQuery(filters),
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery,
  });
}
