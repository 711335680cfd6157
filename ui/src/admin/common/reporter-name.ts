import type { ReportDetail } from '../../shared/api/schema';

/** Characters of an id that tell reports apart. */
export const SHORT_ID = 8;

/** The name of a report: the reporter's, or the beginning of its id where none was given. */
export const reporterName = ({ id, nome, cognome }: Pick<ReportDetail, 'id' | 'nome' | 'cognome'>): string =>
  `${nome} ${cognome}`.trim() || `Anonimo ${id.slice(0, SHORT_ID)}`.trim();
