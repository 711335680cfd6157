/** Dates as Italians read them. Must never depend on the viewer's own time zone: the newsroom works on Rome's. */

const ZONE = 'Europe/Rome';
const day = new Intl.DateTimeFormat('it-IT', {
  timeZone: ZONE,
  day: '2-digit',
  month: '2-digit',
  year: 'numeric',
});
const minute = new Intl.DateTimeFormat('it-IT', { timeZone: ZONE, hour: '2-digit', minute: '2-digit' });

/** Day of an RFC 3339 instant: `21/11/2026`. */
export function formatDate(instant: string): string {
  return day.format(new Date(instant));
}

/** Day and time of an RFC 3339 instant: `21/11/2026 09:05`. */
export function formatDateTime(instant: string): string {
  const date = new Date(instant);
  return `${day.format(date)} ${minute.format(date)}`;
}
