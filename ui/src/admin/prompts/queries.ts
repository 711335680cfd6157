import {
  type QueryClient,
  type QueryKey,
  type UseQueryResult,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { call } from '../../shared/api/client';
import type { Phrases, Security } from '../../shared/api/schema';
import { isBackground } from '../common/polling';

const PHRASES: QueryKey = ['prompts'];

export function usePhrases(): UseQueryResult<Phrases> {
  return useQuery({
    queryKey: PHRASES,
    queryFn: ({ client, queryKey, signal }) =>
      call('get', '/prompts', { background: isBackground(client, queryKey), signal }),
  });
}

/** The rules whose figures stand in the phrases. */
export function useRules(): UseQueryResult<Security> {
  return useQuery({
    queryKey: ['settings', 'security'],
    queryFn: ({ client, queryKey, signal }) =>
      call('get', '/settings/security', { background: isBackground(client, queryKey), signal }),
  });
}

/** Takes over what a save or a reset answered, past a reading that is still on its way. */
async function adopt(client: QueryClient, phrases: Phrases): Promise<Phrases> {
  await client.cancelQueries({ queryKey: PHRASES });
  client.setQueryData(PHRASES, phrases);
  return phrases;
}

export function useSavePhrases(): (changes: Phrases) => Promise<Phrases> {
  const client = useQueryClient();
  return async (changes) => adopt(client, await call('put', '/prompts', { body: changes }));
}

export function useResetPhrases(): () => Promise<Phrases> {
  const client = useQueryClient();
  return async () => adopt(client, await call('delete', '/prompts', {}));
}
