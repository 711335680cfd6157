/** Names of files that carry what people typed. Must be safe on every system that may receive them. */

/** Most characters of the name part: file systems stop at 255 bytes, and the id and a script of 4 bytes must fit. */
const LONGEST = 40;

/** `segnalazione_{id}_{name}.pdf`, the name with underscores for spaces (PRODUCT.md §4). */
export function recordFileName(id: string, name: string): string {
  const safe = name
    .normalize('NFC')
    // What no file name may hold, controls and marks that change the direction of writing.
    .replace(/[\\/:*?"<>|\p{C}]/gu, '')
    .trim()
    .replace(/\s+/gu, '_');
  const short = [...safe].slice(0, LONGEST).join('');
  return `segnalazione_${id}${short ? `_${short}` : ''}.pdf`;
}
