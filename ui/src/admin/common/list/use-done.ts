/** 'Fatto': takes a report out of 'Da fare', for everybody. */
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client';
import type { ReportList, ReportRow } from '../../../shared/api/schema';
import { reporterName } from '../reporter-name';
import { useToast } from '../toast';
import { keyOf, useRefresh } from '../use-read';

/** The key of 'Fatto', in the list and in a report. */
export const DONE_KEY = 'e';

/** Has what tells of 'Da fare' read again; those that `left` it count as out of it until then. */
export function useTodoChanged(): (left: readonly string[]) => void {
  const client = useQueryClient();
  const refresh = useRefresh();
  return (left) => {
    client.setQueriesData<ReportList>(
      { queryKey: keyOf('/reports') },
      (list) =>
        list && {
          ...list,
          data: list.data.map((row) => (left.includes(row.id) ? { ...row, todo: null } : row)),
        },
    );
    void refresh('/reports', '/reports/{id}', '/desk/mine', '/desk/today');
  };
}

/** Takes a report out, and tells that with its undo. */
export function useDone(): (report: Pick<ReportRow, 'id' | 'nome' | 'cognome'>) => Promise<void> {
  const { show } = useToast();
  const changed = useTodoChanged();
  return async (report) => {
    const path = { id: report.id };
    const undo = async () => {
      // A colleague who was faster is to be seen, too.
      await call('delete', '/reports/{id}/done', { path }).finally(() => changed([]));
      return `Da fare: ${reporterName(report)}`;
    };
    await call('post', '/reports/{id}/done', { path });
    changed([report.id]);
    show({ text: `Fatto: ${reporterName(report)}`, undo });
  };
}
