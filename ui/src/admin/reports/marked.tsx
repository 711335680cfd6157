/** Marks what was searched for. What is found the server decides; here only what a reader sees of it. */
import { Fragment } from 'react';

const graphemes = new Intl.Segmenter('it', { granularity: 'grapheme' });
/** Finds upper case and accents alike, as the server does. */
const base = new Intl.Collator('it', { sensitivity: 'base' });

function lettersOf(text: string): string[] {
  return Array.from(graphemes.segment(text.replace(/[’‘ʼ′`´]/gu, "'")), ({ segment }) => segment);
}

/** What is looked for and, where it is a phone number, the digits that are stored of it. */
function needlesOf(search: string): string[] {
  const digits = search.replace(/[\s.()-]/gu, '').replace(/^(\+|00)39/, '');
  return [search.trim().replace(/\s+/gu, ' '), /^\d+$/.test(digits) ? digits : ''].filter(Boolean);
}

export interface Part {
  text: string;
  found: boolean;
}

/** Cuts a text where the search stands in it, never inside a letter. The parts put together are the text. */
export function markMatches(text: string, search: string): Part[] {
  const letters = lettersOf(text);
  const needles = needlesOf(search).map(lettersOf);
  const parts: Part[] = [];
  let from = 0;
  for (let at = 0; at < letters.length; ) {
    const needle = needles.find(
      (one) => base.compare(letters.slice(at, at + one.length).join(''), one.join('')) === 0,
    );
    const found = needle !== undefined;
    const end = at + (needle?.length ?? 1);
    const piece = text.slice(from, from + letters.slice(at, end).join('').length);
    const last = parts.at(-1);
    if (last?.found === found) {
      last.text += piece;
    } else {
      parts.push({ text: piece, found });
    }
    from += piece.length;
    at = end;
  }
  return parts;
}

export function matches(text: string, search: string): boolean {
  return markMatches(text, search).some(({ found }) => found);
}

export function Marked({ text, search }: { text: string; search: string }) {
  return markMatches(text, search).map((part, index) => {
    const Element = part.found ? 'mark' : Fragment;
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
    return <Element key={index}>{part.text}</Element>;
  });
}
