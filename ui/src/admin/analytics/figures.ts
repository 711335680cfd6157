/** Figures in words. Must say '—' where there is nothing to compute from, never a nought that was not counted. */
import type { Analytics, ChatRule } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';

/** What stands where there is no figure (PRODUCT.md §8). */
export const NOTHING = '—';

const decimal = new Intl.NumberFormat('it-IT', { maximumFractionDigits: 1 });
const signed = new Intl.NumberFormat('it-IT', { maximumFractionDigits: 1, signDisplay: 'exceptZero' });
const percentIn = (format: Intl.NumberFormat) => (percent: number | null) =>
  percent === null ? NOTHING : `${format.format(percent)}%`;

/** A share: `37,5%`. */
export const share = percentIn(decimal);
/** A change: `+12%`, `-8,3%`, `0%`. */
export const change = percentIn(signed);

function amount(value: number, one: string, many: string): string {
  const text = decimal.format(value);
  return `${text} ${text === '1' ? one : many}`;
}

export function workingDays(days: number | null): string {
  return days === null ? NOTHING : amount(days, 'giorno lavorativo', 'giorni lavorativi');
}

const HOUR = 60;
const DAY = 24 * HOUR;

/** Minutes of the clock in the unit a person would use. */
export function duration(minutes: number | null): string {
  if (minutes === null) {
    return NOTHING;
  }
  if (minutes < 1) {
    return 'meno di un minuto';
  }
  if (Math.round(minutes) < HOUR) {
    return amount(Math.round(minutes), 'minuto', 'minuti');
  }
  return minutes < 2 * DAY ? amount(minutes / HOUR, 'ora', 'ore') : amount(minutes / DAY, 'giorno', 'giorni');
}

const day = new Intl.DateTimeFormat('it-IT', { timeZone: 'UTC', day: 'numeric', month: 'short' });
const wholeDay = new Intl.DateTimeFormat('it-IT', {
  timeZone: 'UTC',
  weekday: 'short',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});

/** A day of the calendar as the server names it: `2026-11-21` gives `21 nov`. */
export function shortDay(date: string): string {
  return day.format(new Date(`${date}T00:00:00Z`));
}

export function longDay(date: string): string {
  return wholeDay.format(new Date(`${date}T00:00:00Z`));
}

/** The top of a scale on which the largest value fits, whole and with a whole half. */
export function scaleFor(largest: number): number {
  for (let unit = 1; ; unit *= 10) {
    const top = [2, 4, 6, 10].map((step) => step * unit).find((one) => one >= largest);
    if (top !== undefined) {
      return top;
    }
  }
}

const REASONS: Readonly<Partial<Record<ChatRule, string>>> = {
  invalid: 'non valida',
  too_short: 'troppo breve',
  too_long: 'troppo lunga',
  forbidden: 'con parole vietate',
  incomplete: 'prima di altre risposte',
};

export function refusal(rule: ChatRule, count: number): string {
  return `${REASONS[rule] ?? rule}: ${formatNumber(count)}`;
}

export function chartSentence(days: Analytics['perDay']): string {
  const total = days.reduce((sum, { count }) => sum + count, 0);
  const [most] = days.toSorted((one, other) => other.count - one.count);
  const start = `Segnalazioni ricevute al giorno negli ultimi ${days.length} giorni: ${formatNumber(total)} in tutto`;
  return most?.count
    ? `${start}, al massimo ${formatNumber(most.count)} (${longDay(most.date)}).`
    : `${start}.`;
}
