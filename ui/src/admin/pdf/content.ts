/** What the PDF record says, in order. Must hold everything the newsroom has of a report, and nothing computed. */
import type { ReportDetail } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { messages } from '../../shared/messages';
import { PERSON_FIELDS } from '../common/report-fields';

export type Block =
  | { kind: 'title'; text: string }
  | { kind: 'heading'; text: string }
  | { kind: 'fact'; name: string; value: string }
  | { kind: 'text'; text: string }
  | { kind: 'small'; text: string };

/** Said at the end when the font could not draw everything. */
export const REPLACED_NOTE =
  'Nella scheda i simboli che non si possono stampare sono sostituiti da □ o [emoji]: il testo originale è nel pannello.';

export function recordBlocks(report: ReportDetail, productName: string): Block[] {
  const note = report.note.trim();
  return [
    { kind: 'title', text: `${productName} – Scheda Segnalazione` },
    { kind: 'fact', name: 'ID Segnalazione', value: report.id },
    { kind: 'fact', name: 'Data Ricezione', value: formatDateTime(report.data_creazione) },
    { kind: 'fact', name: 'Stato Attuale', value: report.stato },
    { kind: 'heading', text: 'Dati Personali' },
    ...PERSON_FIELDS.map(({ label, text }) => ({ kind: 'fact' as const, name: label, value: text(report) })),
    { kind: 'heading', text: 'Testo della Segnalazione' },
    { kind: 'text', text: report.segnalazione.trim() || messages.reports.noText },
    ...(note
      ? ([
          { kind: 'heading', text: 'Note Interne' },
          { kind: 'text', text: note },
        ] as const)
      : []),
  ];
}
