/** How the panel of a conflict tells of a report. */
import type { ReportDetail } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';

/** Who saved it last, and when. */
export function savedBefore({ storia, data_aggiornamento }: ReportDetail) {
  const last = storia.findLast(({ tipo }) => tipo !== 'aperta' && tipo !== 'ricevuta');
  return {
    title: `${last?.author?.name ?? 'Un’altra persona'} ha salvato prima di te`,
    told: `Il ${formatDateTime(data_aggiornamento)} questa segnalazione è stata modificata.`,
  };
}
