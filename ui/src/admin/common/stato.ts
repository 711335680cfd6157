/** The four states of a report and how they look. Must follow the server's list (PRODUCT.md §3). */
import type { ReportDetail } from '../../shared/api/schema';
import type { BadgeTone } from '../../shared/ui/badge';
import type { Option } from '../../shared/ui/select';

export type Stato = ReportDetail['stato'];

export const STATI = ['Nuova', 'In lavorazione', 'Risolta', 'Archiviata'] as const satisfies readonly Stato[];

const TONES: Readonly<Record<Stato, BadgeTone>> = {
  Nuova: 'blue',
  'In lavorazione': 'yellow',
  Risolta: 'green',
  Archiviata: 'grey',
};

export const STATO_OPTIONS: readonly Option<Stato>[] = STATI.map((stato) => ({ value: stato, label: stato }));

/** Colour of a state; grey for one this build does not know. */
export function toneOf(stato: string): BadgeTone {
  return new Map<string, BadgeTone>(Object.entries(TONES)).get(stato) ?? 'grey';
}
