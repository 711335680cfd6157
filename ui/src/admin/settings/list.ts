/** Lists that settings keep in one line of text. Must split where the server does (PRODUCT.md §7). */

/** The entries of a list: commas, semicolons or line breaks between them, blanks ignored. */
export function entriesOf(list: string): readonly string[] {
  return list
    .split(/[,;\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

export function listOf(entries: readonly string[]): string {
  return entries.join(', ');
}

function same(one: string, other: string): boolean {
  return one.toLocaleLowerCase('it-IT') === other.toLocaleLowerCase('it-IT');
}

/** The list with what was typed added, each entry once; `added` holds those that were not there yet. */
export function addTo(
  entries: readonly string[],
  typed: readonly string[],
): { entries: readonly string[]; added: readonly string[] } {
  const result = [...entries];
  const added: string[] = [];
  for (const entry of typed) {
    if (!result.some((known) => same(known, entry))) {
      result.push(entry);
      added.push(entry);
    }
  }
  return { entries: result, added };
}
