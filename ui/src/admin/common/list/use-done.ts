/** 'Fatto': takes reports out of 'Da fare', for everybody. */
import { call } from '../../../shared/api/client';
import type { ReportRow } from '../../../shared/api/schema';
import { counted } from '../../../shared/lib/text';
import { reporterName } from '../reporter-name';
import { useToast } from '../toast';
import { useRefresh } from '../use-read';

/** The key of 'Fatto', in the list and in a report. */
export const DONE_KEY = 'e';

type Named = Pick<ReportRow, 'id' | 'nome' | 'cognome'>;

/** Takes them out one after the other, and tells it with its undo; rejects where one was refused. */
export function useDone(): (reports: readonly Named[]) => Promise<void> {
  const { show } = useToast();
  const refresh = useRefresh();
  const each = async (reports: readonly Named[], act: (path: { id: string }) => Promise<unknown>) => {
    try {
      for (const { id } of reports) {
        await act({ id });
      }
    } finally {
      void refresh('/reports', '/reports/{id}', '/desk/mine', '/desk/today');
    }
  };
  return async (reports) => {
    await each(reports, (path) => call('post', '/reports/{id}/done', { path }));
    const [only] = reports;
    const whose =
      reports.length === 1 && only
        ? reporterName(only)
        : counted(reports.length, 'segnalazione', 'segnalazioni');
    show({
      text: `Fatto: ${whose}`,
      undo: async () => {
        await each(reports, (path) => call('delete', '/reports/{id}/done', { path }));
        return `Da fare: ${whose}`;
      },
    });
  };
}
