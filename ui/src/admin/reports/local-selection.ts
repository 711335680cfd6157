/** Which reports of this browser belong to a selection of the list. Must choose as the server does among its own. */
import type { LocalReport } from '../common/local-reports';
import type { Filters, Period } from './filters';
import { matches, phoneDigits } from './match';

const DAY_MS = 86_400_000;

const clock = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Rome',
  dateStyle: 'short',
  timeStyle: 'medium',
});

/** What clock and calendar in the newsroom show at an instant, as if they were UTC: for counting in local days. */
function wallTime(instant: Date): Date {
  const [day, month, year, hour, minute, second] = clock.format(instant).split(/\D+/).map(Number);
  return new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, day ?? 1, hour ?? 0, minute ?? 0, second ?? 0));
}

/** The same time of day a month earlier; a day which that month does not have becomes its last one. */
function monthBefore(wall: Date): number {
  const last = new Date(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth(), 0)).getUTCDate();
  const then = new Date(wall);
  then.setUTCDate(1);
  then.setUTCMonth(wall.getUTCMonth() - 1);
  then.setUTCDate(Math.min(wall.getUTCDate(), last));
  return then.getTime();
}

function startOf(period: Period, now: Date): number {
  const wall = wallTime(now);
  switch (period) {
    case 'today':
      return Math.floor(wall.getTime() / DAY_MS) * DAY_MS;
    case 'week':
      return wall.getTime() - 7 * DAY_MS;
    case 'month':
      return monthBefore(wall);
  }
}

function isFound(report: LocalReport, { search, inText }: Filters): boolean {
  // What is kept here was typed; the server stores the digits.
  const phone = phoneDigits(report.telefono) ?? report.telefono;
  const fields = [`${report.nome} ${report.cognome}`, report.email, phone];
  return [...fields, ...(inText ? [report.segnalazione] : [])].some((field) => matches(field, search));
}

/** Those of the selection; they stand on its first page. */
export function selectLocal(
  reports: readonly LocalReport[],
  filters: Filters,
  now: Date,
): readonly LocalReport[] {
  const { cursor, stato, period, department, urgente, search } = filters;
  // Nobody has read these yet: they belong to no department, and nothing is known of their wording.
  if (cursor || department || urgente) {
    return [];
  }
  return reports.filter(
    (report) =>
      (!stato || report.stato === stato) &&
      (!period || wallTime(new Date(report.data_creazione)).getTime() >= startOf(period, now)) &&
      (!search.trim() || isFound(report, filters)),
  );
}
