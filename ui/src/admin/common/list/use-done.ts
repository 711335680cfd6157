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

const wordsOf = (reports: readonly Named[]): string => {
  const [only] = reports;
  return reports.length === 1 && only
    ? reporterName(only)
    : counted(reports.length, 'segnalazione', 'segnalazioni');
};

/** Takes them out one after the other, and tells those that are out with their undo; rejects where one was refused. */
export function useDone(): (reports: readonly Named[]) => Promise<void> {
  const { show } = useToast();
  const changed = useTodoChanged();
  const undo = async (done: readonly Named[]) => {
    try {
      for (const { id } of done) {
        await call('delete', '/reports/{id}/done', { path: { id } });
      }
    } finally {
      changed([]);
    }
    return `Da fare: ${wordsOf(done)}`;
  };
  return async (reports) => {
    const done: Named[] = [];
    try {
      for (const one of reports) {
        await call('post', '/reports/{id}/done', { path: { id: one.id } });
        done.push(one);
      }
    } finally {
      changed(done.map(({ id }) => id));
      if (done.length > 0) {
        const rest = done.length < reports.length ? ` di ${reports.length}` : '';
        show({ text: `Fatto: ${wordsOf(done)}${rest}`, undo: () => undo(done) });
      }
    }
  };
}
