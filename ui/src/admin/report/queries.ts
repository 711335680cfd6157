import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../shared/api/client';
import type { ReportDetail } from '../../shared/api/schema';
import { isProblem } from '../common/errors';
import { isBackground, pollEvery } from '../common/polling';

export function reportKey(id: string): readonly ['report', string] {
  return ['report', id];
}

/** Whether asking again is of no use. */
function isGone(error: unknown): boolean {
  return isProblem(error, 'non-trovato') || isProblem(error, 'cancellata');
}

/** One report, kept up to date. Not cached beyond its page: opening it again is a new reading, and is logged as one. */
export function useReport(id: string): UseQueryResult<ReportDetail> {
  return useQuery({
    queryKey: reportKey(id),
    queryFn: ({ client, queryKey, signal }) =>
      call('get', '/reports/{id}', { path: { id }, background: isBackground(client, queryKey), signal }),
    refetchInterval: (query) => (isGone(query.state.error) ? false : pollEvery(query)),
    gcTime: 0,
  });
}
