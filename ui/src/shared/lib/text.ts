/** Small rules about text. Must count as the server does: in characters, never in UTF-16 units. */

/** Characters (Unicode code points) of a text, without the blanks around it. */
export function countCharacters(text: string): number {
  return [...text.trim()].length;
}

/** Words of a text: pieces between blanks, empty ones ignored. */
export function countWords(text: string): number {
  return text.split(/\s+/u).filter(Boolean).length;
}

/** A whole number as Italians write it: `1.234`. */
export function formatNumber(value: number): string {
  return value.toLocaleString('it-IT', { useGrouping: 'always' } as Intl.NumberFormatOptions);
}
