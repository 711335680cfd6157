/** The changes of a report in words. */
import type { HistoryEntry, ReportDetail } from '../../shared/api/schema';
import { counted } from '../../shared/lib/text';
import type { People } from '../common/people/people';

const ARRIVED: Readonly<Record<ReportDetail['origin'], string>> = {
  chat: 'Arrivata dalla chat',
  telefono: 'Arrivata per telefono',
  lettera: 'Arrivata per lettera',
  'di persona': 'Raccontata di persona',
};

export type Kind = HistoryEntry['tipo'];

const YES = '1';

const SENTENCES: Readonly<
  Record<Kind, (entry: HistoryEntry, report: ReportDetail, nameOf: People['nameOf']) => string>
> = {
  ricevuta: ({ data }, report) => {
    const along = filesAt(report, data);
    return `${ARRIVED[report.origin]}${along ? `, con ${along}` : ''}`;
  },
  aperta: () => 'Aperta in redazione',
  stato: ({ da, a }) => (da && a ? `Stato modificato da ${da} a ${a}` : 'Stato modificato'),
  note: () => 'Note interne modificate',
  esportata: () => 'Segnalazione esportata',
  reparto: ({ fromName, toName }) => `Spostata da ${fromName} a ${toName}`,
  urgente: ({ a }) => (a === YES ? 'Segnata come urgente' : 'Tolto il segno «urgente»'),
  inoltrata: ({ a }) => (a === YES ? 'Inoltrata alle autorità' : 'Tolto l’inoltro alle autorità'),
  etichette: () => 'Etichette modificate',
  messaggio: () => 'Messaggio inviato a chi ha segnalato',
  risposta: () => 'Messaggio di chi ha segnalato',
  assegnata: ({ a }, _, nameOf) => (nameOf(a) ? `Assegnata a ${nameOf(a)}` : 'Non più assegnata'),
  ritiro: ({ a }) =>
    a === YES ? 'Chi ha segnalato chiede di ritirare tutto' : 'Richiesta di ritiro chiusa con una risposta',
  fatta: ({ a }) => (a === YES ? 'Fatta' : 'Rimessa in Da fare'),
  mittente: ({ a }) => (a === YES ? 'Mittente messo da parte' : 'Mittente rimesso tra gli altri'),
  consenso: ({ da, a }) => `Consenso ${a === YES ? 'dato' : a === 'ritirato' ? a : 'negato'}: ${da}`,
  rinviata: ({ a }) => (a === YES ? 'Rinviata' : 'Rimessa nell’elenco'),
  storia: ({ a }) => (a === YES ? 'Aggiunta a una storia' : 'Tolta dalla storia'),
  allegato: () => 'File ritirato da chi ha segnalato',
};

export const sentenceOf = (entry: HistoryEntry, report: ReportDetail, nameOf: People['nameOf']): string =>
  SENTENCES[entry.tipo](entry, report, nameOf);

/** How many files came at a moment, with the report itself or with a message of its reporter: `2 file`; empty for none. */
export function filesAt({ attachments }: ReportDetail, moment: string): string {
  const count = attachments.filter(({ at }) => at === moment).length;
  return count > 0 ? counted(count, 'file', 'file') : '';
}

/** Changes that stand among the messages: what was decided. The others are in the history alone. */
const ALONE: readonly Kind[] = ['ricevuta', 'aperta', 'note', 'esportata', 'messaggio', 'risposta'];

export const isDecision = ({ tipo }: HistoryEntry): boolean => !ALONE.includes(tipo);
