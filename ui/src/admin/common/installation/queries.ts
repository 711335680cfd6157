/** How the installation stands: the server's own backups, and its examination of itself. */
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../../shared/api/client';
import type { Backups, Examination } from '../../../shared/api/schema';

const EXAMINATION = ['examination'] as const;
const BACKUPS = ['backups'] as const;
/** Pause between two looks at the backups, which change once a day at most, in milliseconds. */
const BACKUPS_MS = 60_000;
/** Pause between two looks at an examination that is under way, in milliseconds. */
const RUNNING_MS = 1000;
/** An examination older than this is made anew when somebody opens its card, in milliseconds. */
const FRESH_MS = 10 * 60_000;

/** The server's own backups. Nobody asked for it: it never counts as activity. */
export function useServerBackups(): UseQueryResult<Backups> {
  return useQuery({
    queryKey: BACKUPS,
    queryFn: ({ signal }) => call('get', '/system/backups', { background: true, signal }),
    refetchInterval: BACKUPS_MS,
  });
}

export interface Checkup {
  /** The last one; null while that is being read. */
  found: Examination | null;
  running: boolean;
  failure: unknown;
  again: () => void;
}

/** The examination of the installation; opening its card begins one where there is none of the last minutes. */
export function useExamination(): Checkup {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const query = useQuery({
    queryKey: EXAMINATION,
    queryFn: ({ signal }) => call('get', '/system/doctor', { background: true, signal }),
    refetchInterval: ({ state }) => (state.data?.running ? RUNNING_MS : false),
    // Left from another visit it may be hours old.
    gcTime: 0,
  });
  const begin = async () => {
    setAsking(true);
    setFailure(null);
    try {
      await client.cancelQueries({ queryKey: EXAMINATION });
      client.setQueryData(EXAMINATION, await call('post', '/system/doctor', {}));
    } catch (error) {
      setFailure(error);
    } finally {
      setAsking(false);
    }
  };
  const { data } = query;
  const stale = data !== undefined && !data.running && !isFresh(data);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when what was read turns out to be old
  useEffect(() => {
    if (stale && !asking && failure === null) {
      void begin();
    }
  }, [stale]);
  return {
    found: data ?? null,
    running: asking || data?.running === true,
    failure: failure ?? query.error,
    again: () => void begin(),
  };
}

function isFresh({ at }: Examination): boolean {
  return at !== null && Math.abs(Date.now() - Date.parse(at)) < FRESH_MS;
}
