/** Small rules about text. Must count as the server does: in characters, never in UTF-16 units. */

/** Characters (Unicode code points) of a text without the blanks around it, and its words: `42 caratteri, 6 parole`. */
export function sizeOf(text: string): string {
  const characters = [...text.trim()].length;
  const words = text.match(/\S+/gu)?.length ?? 0;
  return `${counted(characters, 'carattere', 'caratteri')}, ${counted(words, 'parola', 'parole')}`;
}

/** A whole number as Italians write it: `1.234`. */
export function formatNumber(value: number): string {
  return value.toLocaleString('it-IT', { useGrouping: 'always' } as Intl.NumberFormatOptions);
}

export function counted(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}
