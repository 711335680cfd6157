import { now } from '../../shared/lib/clock';
import { DAY_MS, dayOf, formatDateTime, formatDay, localOf } from '../../shared/lib/dates';

/** Days, from which on the date says more than the name of the day. */
const DAYS = 7;

/** An instant as one says it: `9:04` for today, `ieri, 23:41`, `lunedì, 14:02`, then the date. */
export function momentOf(instant: string): string {
  const [day = '', time = ''] = localOf(instant).split('T');
  const ago = (Date.parse(dayOf(now())) - Date.parse(day)) / DAY_MS;
  const clock = time.replace(/^0/, '');
  if (ago === 0) {
    return clock;
  }
  if (ago < 0 || ago >= DAYS) {
    return formatDateTime(instant);
  }
  return `${ago === 1 ? 'ieri' : formatDay(instant).split(' ')[0]}, ${clock}`;
}

export const firstName = (name: string): string => name.trim().split(/\s+/u)[0] ?? '';
