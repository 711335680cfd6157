import { keepPreviousData, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../shared/api/client';
import type { ConsentKind, MessageList, ReplyIn, ReportDetail } from '../../shared/api/schema';
import { isGone, isProblem } from '../common/errors';
import { useTodoChanged } from '../common/list/use-done';
import { PREFETCHED_MS } from '../common/list/use-prefetch';
import { pollEvery } from '../common/polling';
import { adopt, keyOf, useRead, useRefresh } from '../common/use-read';
import { reportKey } from '../desk/changes';

/** One report, kept up to date. Not cached beyond its page: opening it again is a new reading, and is logged as one. */
export function useReport(id: string): UseQueryResult<ReportDetail> {
  return useRead('/reports/{id}', {
    with: { path: { id } },
    staleTime: PREFETCHED_MS,
    refetchInterval: (query) => (isGone(query.state.error) ? false : pollEvery(query)),
    gcTime: 0,
  });
}

const KEPT_UP = { refetchInterval: pollEvery, gcTime: 0 };

export const useComments = (id: string) =>
  useRead('/reports/{id}/comments', { with: { path: { id } }, ...KEPT_UP });
export const useMessages = (id: string) =>
  useRead('/reports/{id}/messages', { with: { path: { id } }, ...KEPT_UP });

export function useCommentChanges(id: string) {
  const client = useQueryClient();
  const key = keyOf('/reports/{id}/comments', { path: { id } });
  return {
    add: async (text: string, sent: string) => {
      const body = { text, key: sent };
      await adopt(client, key, await call('post', '/reports/{id}/comments', { path: { id }, body }));
    },
    change: async (n: number, text: string) => {
      const path = { id, n };
      await adopt(client, key, await call('patch', '/reports/{id}/comments/{n}', { path, body: { text } }));
    },
    remove: async (n: number) => {
      await call('delete', '/reports/{id}/comments/{n}', { path: { id, n } });
      await client.invalidateQueries({ queryKey: key });
    },
  };
}

/** Messages to the reporter; each gives what takes it back while nobody has read it. */
export function useMessageChanges(id: string) {
  const client = useQueryClient();
  const changed = useTodoChanged();
  const path = { id };
  const adopted = async (list: MessageList) => {
    await adopt(client, keyOf('/reports/{id}/messages', { path }), list);
    changed([id]);
    void client.invalidateQueries({ queryKey: reportKey(id) });
    return list.data.at(-1)?.id ?? 0;
  };
  const sent = async (list: MessageList) => {
    const n = await adopted(list);
    return async () => {
      await adopted(await call('delete', '/reports/{id}/messages/{n}', { path: { id, n } }));
    };
  };
  return {
    send: async (body: ReplyIn) => sent(await call('post', '/reports/{id}/messages', { path, body })),
    ask: async (kind: ConsentKind, text: string) =>
      sent(await call('post', '/reports/{id}/consents', { path, body: { kind, text } })),
  };
}

export function useSnooze(id: string) {
  const client = useQueryClient();
  const refresh = useRefresh();
  const path = { id };
  const done = async () => {
    void refresh('/reports');
    await client.invalidateQueries({ queryKey: reportKey(id) });
  };
  return {
    keep: (until: string, word: string) =>
      call('put', '/reports/{id}/snooze', { path, body: { until, word } }).then(done),
    drop: () => call('delete', '/reports/{id}/snooze', { path }).then(done),
  };
}

export interface Present {
  /** Null for the shared password. */
  name: string | null;
  writing: boolean;
}

/** Says that the report is open here, while the page is looked at and `enabled`; gives who else has it open. */
export function usePresence(id: string, writing: boolean, enabled: boolean): readonly Present[] {
  const present =
    useQuery({
      queryKey: ['presence', id, writing],
      queryFn: () =>
        call('post', '/reports/{id}/presence', { path: { id }, body: { writing }, background: true }),
      enabled,
      refetchInterval: pollEvery,
      placeholderData: keepPreviousData,
      gcTime: 0,
    }).data?.data ?? [];
  // One may have it open twice.
  const names = [...new Set(present.map(({ name }) => name))];
  return names.map((name) => ({ name, writing: present.some((one) => one.name === name && one.writing) }));
}

/** Erases one report at the version that was shown, or several, and lets nothing of `report` stay in memory. */
export function useErase(report: ReportDetail) {
  const client = useQueryClient();
  const refresh = useRefresh();
  const { id, versione } = report;
  return async (ids: readonly string[] | null): Promise<number> => {
    try {
      const { erased } = ids
        ? await call('post', '/reports/erasures', { body: { ids: [...ids] } })
        : await call('delete', '/reports/{id}', { path: { id }, ifMatch: versione });
      // Nor may it be asked for again.
      await client.cancelQueries({ queryKey: reportKey(id) });
      void refresh('/reports', '/retention');
      return Math.max(1, erased);
    } catch (error) {
      if (isProblem(error, 'cancellata')) {
        void client.invalidateQueries({ queryKey: reportKey(id) });
      }
      throw error;
    }
  };
}
