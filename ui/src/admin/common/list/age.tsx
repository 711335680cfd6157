import { DAY_MS, dayOf, formatDate, formatDateTime } from '../../../shared/lib/dates';

export const MINUTE_MS = 60_000;
/** Days from which on the date says more. */
const DAYS = 30;

/** When something came, as short as it can be said: the time of today, `ieri`, `3 g`, then the date. */
export function ageOf(instant: string, now: number): string {
  const at = Date.parse(instant);
  const days = Math.round((Date.parse(dayOf(now)) - Date.parse(dayOf(at))) / DAY_MS);
  if (days <= 0) {
    return formatDateTime(instant).slice(-5).replace(/^0/, '');
  }
  if (days === 1) {
    return 'ieri';
  }
  return days < DAYS ? `${days} g` : formatDate(instant);
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
