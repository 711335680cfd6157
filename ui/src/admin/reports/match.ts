/**
 * Where a search stands in a text, as the server finds it: upper case and accents make no difference, and a letter may
 * be one character or several (PRODUCT.md §4). Must never mark half a letter.
 */

const graphemes = new Intl.Segmenter('it', { granularity: 'grapheme' });

/** The text for comparison: lower case, without diacritics. */
export function fold(text: string): string {
  // Lower-casing can itself produce a combining mark ('İ'), hence the second decomposition.
  return text.normalize('NFD').toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC');
}

/** What is looked for: folded, without blanks around it, and with single ones inside. */
function needleOf(search: string): string {
  return fold(search.trim().replace(/\s+/gu, ' '));
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

/** Cuts a text where the search stands in it; places side by side are one. The parts put together are the text. */
export function markMatches(text: string, search: string): Part[] {
  const needle = needleOf(search);
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
  for (
    let at = needle ? folded.indexOf(needle) : -1;
    at >= 0;
    at = folded.indexOf(needle, at + needle.length)
  ) {
    const [first, last] = [letters[at], letters[at + needle.length - 1]];
    if (first && last) {
      add(first.from, false);
      add(last.to, true);
    }
  }
  add(text.length, false);
  return parts;
}

export function matches(text: string, search: string): boolean {
  const needle = needleOf(search);
  return needle !== '' && fold(text).includes(needle);
}
