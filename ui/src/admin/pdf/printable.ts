/** Turns a text into one that the record's font can draw. Must never drop a character silently (PRODUCT.md §6). */

export type Covers = (code: number) => boolean;

export const MISSING = '\u25a1';
const EMOJI = '[emoji]';

/** Asks for the text or the picture form of the character before it; has no content of its own. */
const SELECTORS = /[\ufe00-\ufe0f]/gu;
const PICTURE = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;

const graphemes = new Intl.Segmenter('it', { granularity: 'grapheme' });

interface Printable {
  text: string;
  replaced: boolean;
}

/** Line ends become line feeds, tabs four spaces, and all kinds of spaces the plain one: on paper they are alike. */
function plain(raw: string): string {
  return raw
    .normalize('NFC')
    .replace(/\r\n?|[\u2028\u2029\u0085]/gu, '\n')
    .replace(/\t/gu, '    ')
    .replace(/\p{Zs}/gu, ' ');
}

export function makePrintable(raw: string, covers: Covers): Printable {
  let replaced = false;
  const drawable = (character: string) => character === '\n' || covers(character.codePointAt(0) ?? 0);
  const draw = ({ segment }: { segment: string }): string => {
    const characters = [...segment.replace(SELECTORS, '')];
    if (characters.length > 0 && characters.every(drawable)) {
      return characters.join('');
    }
    replaced = true;
    if (PICTURE.test(segment)) {
      return EMOJI;
    }
    return characters.map((character) => (drawable(character) ? character : MISSING)).join('') || MISSING;
  };
  const text = Array.from(graphemes.segment(plain(raw)), draw).join('');
  return { text, replaced };
}
