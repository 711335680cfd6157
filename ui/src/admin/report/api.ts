import type { UseQueryResult } from '@tanstack/react-query';
import type { ReportDetail } from '../../shared/api/schema';
import { isProblem } from '../common/errors';
import { pollEvery } from '../common/polling';
import { useRead } from '../common/use-read';

function isGone(error: unknown): boolean {
  return isProblem(error, 'non-trovato') || isProblem(error, 'cancellata');
}

/** One report, kept up to date. Not cached beyond its page: opening it again is a new reading, and is logged as one. */
export function useReport(id: string): UseQueryResult<ReportDetail> {
  return useRead('/reports/{id}', {
    with: { path: { id } },
    refetchInterval: (query) => (isGone(query.state.error) ? false : pollEvery(query)),
    gcTime: 0,
  });
}
