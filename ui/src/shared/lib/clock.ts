/** The time by the server's clock: a computer's own may be hours off. Must be asked wherever an instant is compared with now. */

/** Milliseconds within which two clocks agree: the server tells whole seconds, and an answer takes its time to travel. */
const AGREED = 2000;

/** Milliseconds by which this computer's clock is ahead. */
let ahead = 0;

/** Milliseconds since 1970. */
export const now = (): number => Date.now() - ahead;

/** Learns from the `Date` of an answer that has just come; without one it stays as it was. */
export function setClock(date: string | null): void {
  const seen = Date.now() - Date.parse(date ?? '');
  if (Math.abs(seen - ahead) > AGREED) {
    ahead = seen;
  }
}
