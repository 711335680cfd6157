/** Dates as Italians read them, in the newsroom's time zone. Must never depend on the viewer's own. */
import { zoneOf } from './boot';

export const DAY_MS = 86_400_000;

/** Made when first wanted: a page that is drawn in advance does not know its zone yet. */
let made: ReturnType<typeof makeFormats> | undefined;

function makeFormats() {
  const timeZone = zoneOf(document);
  return {
    day: new Intl.DateTimeFormat('it-IT', { timeZone, day: '2-digit', month: '2-digit', year: 'numeric' }),
    said: new Intl.DateTimeFormat('it-IT', { timeZone, weekday: 'long', day: 'numeric', month: 'long' }),
    minute: new Intl.DateTimeFormat('it-IT', { timeZone, hour: '2-digit', minute: '2-digit' }),
    clock: new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }),
  };
}

function formats() {
  made ??= makeFormats();
  return made;
}

/** Day of an RFC 3339 instant: `21/11/2026`. */
export function formatDate(instant: string): string {
  return formats().day.format(new Date(instant));
}

/** Day of an RFC 3339 instant as it is said: `sabato 5 dicembre`. */
export const formatDay = (instant: string): string => formats().said.format(new Date(instant));

/** Day and time of an RFC 3339 instant: `21/11/2026 09:05`. */
export function formatDateTime(instant: string): string {
  const date = new Date(instant);
  const { day, minute } = formats();
  return `${day.format(date)} ${minute.format(date)}`;
}

/** `2026-11-28 09:00:00`, as the newsroom's clocks show an instant. */
const clockAt = (instant: number): string => formats().clock.format(instant);

/** The newsroom's day of an instant: `2026-11-28`. */
export const dayOf = (instant: number): string => clockAt(instant).slice(0, 10);

/** An instant in the newsroom's local time, as an input for day and time holds it: `2026-11-28T09:00`. */
export const localOf = (instant: string): string =>
  clockAt(Date.parse(instant)).slice(0, 16).replace(' ', 'T');

/** When the newsroom's clocks show that hour of that day; RFC 3339. */
export const instantAt = (day: string, hour: number): string =>
  instantOf(`${day}T${String(hour).padStart(2, '0')}:00`);

/** When the newsroom's clocks show that, `2026-11-28T09:00`; RFC 3339. */
export function instantOf(local: string): string {
  const wanted = Date.parse(`${local}:00Z`);
  const ahead = (instant: number) => Date.parse(`${clockAt(instant).replace(' ', 'T')}Z`) - instant;
  // The clocks may have been changed in between.
  return new Date(wanted - ahead(wanted - ahead(wanted))).toISOString();
}
