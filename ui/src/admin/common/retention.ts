/** How long reports are kept, as the panel reads it. Must never decide by itself what goes: the server says so. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../shared/api/client';
import type { Expiring, Retention } from '../../shared/api/schema';

/** First part of the key of whatever is read about it. */
export const RETENTION = 'retention';

/** Pause between two questions, in milliseconds: what goes by days does not change by seconds. */
const EVERY_MS = 60_000;

/** What the age of reports erases soon, and has erased. Nobody asked for it: it never counts as activity. */
export function useRetention(): UseQueryResult<Retention> {
  return useQuery({
    queryKey: [RETENTION],
    queryFn: ({ signal }) => call('get', '/retention', { background: true, signal }),
    refetchInterval: EVERY_MS,
  });
}

/** The reports that go soon, the first to go first. */
export function useExpiring(): UseQueryResult<Expiring> {
  return useQuery({
    queryKey: [RETENTION, 'reports'],
    queryFn: ({ client, queryKey, signal }) =>
      call('get', '/retention/reports', {
        background: client.getQueryData(queryKey) !== undefined,
        signal,
      }),
    refetchInterval: EVERY_MS,
  });
}

/** How many go, as a sentence. */
export function warningOf({ warned, warningDays }: Retention): string {
  return warned === 1
    ? `Una segnalazione verrà cancellata entro ${warningDays} giorni.`
    : `${warned} segnalazioni verranno cancellate entro ${warningDays} giorni.`;
}
