/** The four states of a report and how they look. Must follow the server's list (PRODUCT.md §4). */
import type { ReportDetail } from '../../shared/api/schema';
import type { BadgeTone } from '../../shared/ui/badge';

export type Stato = ReportDetail['stato'];

export const STATI = ['Nuova', 'In lavorazione', 'Risolta', 'Archiviata'] as const satisfies readonly Stato[];

const TONES: Readonly<Record<Stato, BadgeTone>> = {
  Nuova: 'blue',
  'In lavorazione': 'yellow',
  Risolta: 'green',
  Archiviata: 'grey',
};

export function isStato(value: string | null): value is Stato {
  return STATI.some((stato) => stato === value);
}

/** Colour of a state; grey for one this build does not know. */
export function toneOf(stato: string): BadgeTone {
  return isStato(stato) ? TONES[stato] : 'grey';
}
