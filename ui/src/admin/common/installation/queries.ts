/** How the installation stands: the server's own backups, and its examination of itself. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../../../shared/api/client';
import type { Examination } from '../../../shared/api/schema';
import { useAction } from '../action';
import { adopt, useRead } from '../use-read';

/** Pause between two looks at the backups, which change once a day at most, in milliseconds. */
const BACKUPS_MS = 60_000;
/** Pause between two looks at an examination that is under way, in milliseconds. */
const RUNNING_MS = 1000;
/** An examination older than this is made anew when somebody opens its card, in milliseconds. */
const FRESH_MS = 10 * 60_000;

/** The server's own backups. */
export const useServerBackups = () =>
  useRead('/system/backups', { background: true, refetchInterval: BACKUPS_MS });

interface Checkup {
  /** The last one; undefined while that is being read. */
  found: Examination | undefined;
  running: boolean;
  failure: unknown;
  again: () => void;
}

/** The examination of the installation; opening its card begins one where there is none of the last minutes. */
export function useExamination(): Checkup {
  const client = useQueryClient();
  const { busy, failure, run } = useAction();
  const { data, error } = useRead('/system/doctor', {
    background: true,
    refetchInterval: ({ state }) => (state.data?.running ? RUNNING_MS : false),
    // Left from another visit it may be hours old.
    gcTime: 0,
  });
  const again = () =>
    void run(async () => {
      await adopt(client, ['/system/doctor'], await call('post', '/system/doctor', {}));
      return null;
    });
  const stale = data !== undefined && !data.running && !isFresh(data);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when what was read turns out to be old
  useEffect(() => {
    if (stale && failure === null) {
      again();
    }
  }, [stale]);
  return { found: data, running: busy || data?.running === true, failure: failure ?? error, again };
}

function isFresh({ at }: Examination): boolean {
  return at !== null && Math.abs(Date.now() - Date.parse(at)) < FRESH_MS;
}
