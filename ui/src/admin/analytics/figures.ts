/** Figures in words. Must say '—' where there is nothing to compute from, never a nought that was not counted. */
import type { Analytics, ChatRule } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';

/** The sign in place of a figure that does not exist (PRODUCT.md §8). */
export const NOTHING = '—';

const decimal = new Intl.NumberFormat('it-IT', { maximumFractionDigits: 1 });

/** How this month compares with the one before; the numbers themselves stand beside it. */
export function trend({ current, percent }: Analytics['monthChange']): string {
  if (percent === null) {
    return current === 0 ? 'Nessuna da due mesi' : 'Nessuna il mese prima';
  }
  const change = Math.round(percent);
  const sign = change > 0 ? '+' : '−';
  return change === 0 ? 'Quante il mese prima' : `${sign}${formatNumber(Math.abs(change))}% sul mese prima`;
}

export function share(percent: number | null): string {
  return percent === null ? NOTHING : `${decimal.format(percent)}%`;
}

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

interface Counted {
  name: string;
  count: number;
}

export const sumOf = (all: readonly { count: number }[]) => all.reduce((sum, { count }) => sum + count, 0);

/** A chart in a sentence, after what it is of. */
export function chartSentence(of: string, columns: readonly Counted[]): string {
  const [most] = columns.toSorted((one, other) => other.count - one.count);
  const start = `${of}: ${formatNumber(sumOf(columns))} in tutto`;
  return most?.count ? `${start}, al massimo ${formatNumber(most.count)} (${most.name}).` : `${start}.`;
}

/** How long reports have been open, as the server counts them together. */
export const AGES = [
  'Da meno di un giorno',
  'Da 1 a 3 giorni',
  'Da 3 a 7 giorni',
  'Da 7 a 30 giorni',
  'Da 30 a 90 giorni',
  'Da 90 giorni o più',
] as const;
