import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../shared/api/client';
import type { ReportList } from '../../shared/api/schema';
import { isBackground, pollEvery } from '../common/polling';
import type { Filters } from './filters';

/** One page of the list, kept up to date; the previous page stays on screen while another one loads. */
export function useReports(filters: Filters): UseQueryResult<ReportList> {
  return useQuery({
    queryKey: ['reports', filters],
    queryFn: ({ client, queryKey, signal }) =>
      call('get', '/reports', {
        query: {
          ...(filters.stato ? { stato: filters.stato } : {}),
          ...(filters.period ? { period: filters.period } : {}),
          ...(filters.cursor ? { cursor: filters.cursor } : {}),
        },
        background: isBackground(client, queryKey),
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery,
  });
}
