/** 'Fatto': takes reports out of 'Da fare', for everybody. */
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client';
import type { ReportList, ReportRow } from '../../../shared/api/schema';
import { counted } from '../../../shared/lib/text';
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

type Named = Pick<ReportRow, 'id' | 'nome' | 'cognome'>;

/** Takes them out one after the other, and tells it with its undo; rejects where one was refused. */
export function useDone(): (reports: readonly Named[]) => Promise<void> {
  const { show } = useToast();
  const changed = useTodoChanged();
  return async (reports) => {
    const left: string[] = [];
    try {
      for (const { id } of reports) {
        await call('post', '/reports/{id}/done', { path: { id } });
        left.push(id);
      }
    } finally {
      changed(left);
    }
    const [only] = reports;
    const whose =
      reports.length === 1 && only
        ? reporterName(only)
        : counted(reports.length, 'segnalazione', 'segnalazioni');
    show({
      text: `Fatto: ${whose}`,
      undo: async () => {
        try {
          for (const { id } of reports) {
            await call('delete', '/reports/{id}/done', { path: { id } });
          }
        } finally {
          changed([]);
        }
        return `Da fare: ${whose}`;
      },
    });
  };
}
