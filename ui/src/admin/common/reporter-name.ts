import type { ReportDetail } from '../../shared/api/schema';

/** Characters of an id that tell reports apart. */
export const SHORT_ID = 8;

/** What a report is called: where no name was given, by the beginning of its id. */
export const reporterName = ({ id, nome, cognome }: Pick<ReportDetail, 'id' | 'nome' | 'cognome'>): string =>
  `${nome} ${cognome}`.trim() || `Anonimo ${id.slice(0, SHORT_ID)}`.trim();
