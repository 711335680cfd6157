import { DAY_MS, formatDate, formatDateTime } from '../../../shared/lib/dates';

export const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Days from which on the date says more. */
const DAYS = 30;

export function ageOf(instant: string, now: number): string {
  const ms = now - Date.parse(instant);
  if (ms < MINUTE_MS) {
    return 'ora';
  }
  if (ms < HOUR_MS) {
    return `${Math.floor(ms / MINUTE_MS)} min`;
  }
  if (ms < DAY_MS) {
    return `${Math.floor(ms / HOUR_MS)} h`;
  }
  return ms < DAYS * DAY_MS ? `${Math.floor(ms / DAY_MS)} g` : formatDate(instant);
}

export function Age({ instant, now }: { instant: string; now: number }) {
  const date = formatDateTime(instant);
  return (
    <time dateTime={instant} title={date}>
      <span aria-hidden="true">{ageOf(instant, now)}</span>
      <span className="visually-hidden">{date}</span>
    </time>
  );
}
