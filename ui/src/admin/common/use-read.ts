import {
  notifyManager,
  type QueryClient,
  type QueryKey,
  queryOptions,
  type UseQueryOptions,
  type UseQueryResult,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback } from 'react';
import { type Answer, call, type GetOptions, type GetPath } from '../../shared/api/client';

interface ReadOptions<P extends GetPath>
  extends Pick<
    UseQueryOptions<Answer<P>>,
    | 'enabled'
    | 'gcTime'
    | 'initialData'
    | 'placeholderData'
    | 'refetchInterval'
    | 'refetchIntervalInBackground'
    | 'staleTime'
    | 'structuralSharing'
  > {
  with?: GetOptions<P>;
  /** The page asks by itself, the first time too: it never counts as activity. */
  background?: boolean;
}

/** `call`, for a path that is known only by its kind. */
const read = call as <P extends GetPath>(method: 'get', path: P, options: object) => Promise<Answer<P>>;

/** The cache key of an answer; without parts, the key of all answers that begin with the path. */
export const keyOf = <P extends GetPath>(path: P, parts?: GetOptions<P>): QueryKey =>
  parts ? [path, parts] : [path];

/** The query of `useRead`, for callers that read earlier. */
export const readingOf = <P extends GetPath>(path: P, parts?: GetOptions<P>, background?: boolean) =>
  queryOptions<Answer<P>>({
    queryKey: keyOf(path, parts),
    queryFn: ({ client, queryKey, signal }) =>
      read('get', path, {
        ...parts,
        background: background ?? client.getQueryData(queryKey) !== undefined,
        signal,
      }),
  });

/** Reads an address; reading again what is on screen never counts as activity. The key begins with the path. */
export function useRead<P extends GetPath>(path: P, options: ReadOptions<P> = {}): UseQueryResult<Answer<P>> {
  const { with: parts, background, ...rest } = options;
  return useQuery({ ...readingOf(path, parts, background), ...rest });
}

/** Takes over what a change answered, past a reading that is still on its way; what begins with `stale` is read again. */
export async function adopt<T>(
  client: QueryClient,
  queryKey: QueryKey,
  saved: T,
  stale?: QueryKey,
): Promise<T> {
  await client.cancelQueries({ queryKey });
  client.setQueryData(queryKey, saved);
  if (stale) {
    void client.invalidateQueries({ queryKey: stale });
  }
  return saved;
}

/** Has the answers under these paths read again; of every path, where none is named. Done when those on screen are shown. */
export function useRefresh(): (...paths: GetPath[]) => Promise<unknown> {
  const client = useQueryClient();
  return useCallback(
    async (...paths) => {
      const which = paths.length === 0 ? [{}] : paths.map((path) => ({ queryKey: keyOf(path) }));
      await Promise.all(which.map((some) => client.invalidateQueries(some)));
      // Behind the page, which is told of what came in turn.
      await new Promise<void>((shown) => notifyManager.schedule(shown));
    },
    [client],
  );
}
