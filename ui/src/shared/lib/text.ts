/** Small rules about text. Must count as the server does: in characters, never in UTF-16 units. */

/** Characters (Unicode code points) of a text, without the blanks around it. */
export function countCharacters(text: string): number {
  return [...text.trim()].length;
}

/** Words of a text: pieces between blanks, empty ones ignored. */
export function countWords(text: string): number {
  return text.split(/\s+/u).filter(Boolean).length;
}

/** The product name as it appears in file names and storage keys: `PelazzAI` gives `pelazzai`. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'segnalazioni';
}

const numbers = new Intl.NumberFormat('it-IT', { useGrouping: 'always' } as Intl.NumberFormatOptions);

/** A whole number as Italians write it: `1.234`. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}
