import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../shared/api/client';
import type { Analytics } from '../../shared/api/schema';
import { isBackground } from '../common/polling';

/** Pause between two readings in milliseconds: the server's counts of conversations are up to a minute behind anyway. */
const REFRESH_MS = 30_000;

export function useAnalytics(): UseQueryResult<Analytics> {
  return useQuery({
    queryKey: ['analytics'],
    queryFn: ({ client, queryKey, signal }) =>
      call('get', '/analytics', { background: isBackground(client, queryKey), signal }),
    refetchInterval: REFRESH_MS,
  });
}
