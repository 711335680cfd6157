/** Small rules about text. Must count as the server does: in characters, never in UTF-16 units. */

/** Characters (Unicode code points) of a text without the blanks around it, and its words: `42 caratteri, 6 parole`. */
export function sizeOf(text: string): string {
  const characters = [...text.trim()].length;
  const words = text.match(/\S+/gu)?.length ?? 0;
  return `${counted(characters, 'carattere', 'caratteri')}, ${counted(words, 'parola', 'parole')}`;
}

const NUMBER = new Intl.NumberFormat('it-IT', { useGrouping: 'always' } as Intl.NumberFormatOptions);

/** A whole number as Italians write it: `1.234`. */
export const formatNumber = (value: number): string => NUMBER.format(value);

export function counted(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}
