/** Until when a report is usually put off, by the newsroom's clocks. */
import type { ReportDetail } from '../../shared/api/schema';
import { now } from '../../shared/lib/clock';
import { DAY_MS, dayOf, instantAt } from '../../shared/lib/dates';

const [MORNING, AFTERNOON] = [8, 16];

/** The morning of a day, `2026-11-28`. */
export const morningOf = (day: string): string => instantAt(day, MORNING);

export function snoozes(at = now()) {
  const day = (ahead: number) => dayOf(at + ahead * DAY_MS);
  const morning = (label: string, ahead: number) => ({ label, until: morningOf(day(ahead)) });
  // Sunday is 0.
  const monday = (8 - new Date(day(0)).getUTCDay()) % 7 || 7;
  const moments = [
    { label: 'Oggi pomeriggio', until: instantAt(day(0), AFTERNOON) },
    morning('Domani mattina', 1),
    ...(monday > 1 ? [morning('Lunedì mattina', monday)] : []),
    ...(monday < 7 ? [morning('Tra una settimana', 7)] : []),
    morning('Tra un mese', 30),
  ];
  return moments.filter(({ until }) => Date.parse(until) > at);
}

/** Whether it is out of the list for now; it stays known when it came back. */
export const isSnoozed = ({ snooze }: Pick<ReportDetail, 'snooze'>): boolean =>
  snooze !== null && Date.parse(snooze.until) > now();
