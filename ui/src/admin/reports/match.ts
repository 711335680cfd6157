/**
 * Where a search stands in a text, as the server finds it: upper case, accents and the form of an apostrophe make no
 * difference, and a letter may be one character or several (PRODUCT.md §4). Must never mark half a letter.
 */

const graphemes = new Intl.Segmenter('it', { granularity: 'grapheme' });

/** What stands for an apostrophe in a text: quotation marks, letter, prime, accents without a letter. */
const apostrophes = /[\u2019\u2018\u02bc\u2032`\u00b4]/gu;

/** The text for comparison: lower case, without diacritics, every apostrophe a straight one. */
export function fold(text: string): string {
  // Lower-casing can itself produce a combining mark ('İ'), hence the second decomposition.
  const plain = text.normalize('NFD').toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC');
  return plain.replace(apostrophes, "'");
}

/** The digits of a number or of a part of one, as they are stored: separators and Italian prefix removed; null for anything else. */
export function phoneDigits(typed: string): string | null {
  const compact = typed.replace(/[\s.()\-\u2010-\u2015\u2212\ufe63\uff0d]/gu, '').replace(/^(\+|00)39/, '');
  return /^\d+$/.test(compact) ? compact : null;
}

/**
 * What is looked for, any of which will do: the text, folded, without blanks around it and with single ones inside; and
 * the digits where it is a number that is written otherwise than it is stored.
 */
function needlesOf(search: string): string[] {
  const typed = fold(search.trim().replace(/\s+/gu, ' '));
  return [...new Set([typed, phoneDigits(search) ?? ''])].filter((needle) => needle !== '');
}

export interface Part {
  text: string;
  found: boolean;
}

interface Letter {
  /** Where the letter starts in the text, in UTF-16 units. */
  from: number;
  to: number;
}

/** The folded text, and for each of its units the letter it comes from. */
function foldLetters(text: string): { folded: string; letters: Letter[] } {
  let folded = '';
  const letters: Letter[] = [];
  for (const { segment, index } of graphemes.segment(text)) {
    const part = fold(segment);
    folded += part;
    for (let unit = 0; unit < part.length; unit += 1) {
      letters.push({ from: index, to: index + segment.length });
    }
  }
  return { folded, letters };
}

/** Where the needles stand, from left to right. */
function placesOf(folded: string, needles: readonly string[]): { from: number; to: number }[] {
  const places = [];
  for (const needle of needles) {
    for (let at = folded.indexOf(needle); at >= 0; at = folded.indexOf(needle, at + needle.length)) {
      places.push({ from: at, to: at + needle.length });
    }
  }
  return places.sort((one, other) => one.from - other.from);
}

/** Cuts a text where the search stands in it; places side by side are one. The parts put together are the text. */
export function markMatches(text: string, search: string): Part[] {
  const { folded, letters } = foldLetters(text);
  const parts: Part[] = [];
  let done = 0;
  const add = (to: number, found: boolean) => {
    const last = parts.at(-1);
    const more = text.slice(done, to);
    if (last?.found && found) {
      last.text += more;
    } else if (more) {
      parts.push({ text: more, found });
    }
    done = Math.max(done, to);
  };
  for (const { from, to } of placesOf(folded, needlesOf(search))) {
    const [first, last] = [letters[from], letters[to - 1]];
    if (first && last && last.to > done) {
      add(first.from, false);
      add(last.to, true);
    }
  }
  add(text.length, false);
  return parts;
}

export function matches(text: string, search: string): boolean {
  const folded = fold(text);
  return needlesOf(search).some((needle) => folded.includes(needle));
}
