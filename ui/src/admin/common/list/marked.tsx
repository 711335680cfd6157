/** Marks what was searched for. What is found the server decides; here only what a reader sees of it. */
import { Fragment } from 'react';

const graphemes = new Intl.Segmenter('it', { granularity: 'grapheme' });
const APOSTROPHE = /^['’‘ʼ′`´]$/u;

/** They have no accent that could be taken off. */
const STRUCK: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd' };

/** The letters of a text, each as the server compares it: without case, accents and strokes. */
function lettersOf(text: string): { text: string; plain: string }[] {
  return Array.from(graphemes.segment(text), ({ segment }) => ({
    text: segment,
    plain: segment
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[łøđ]/gu, (letter) => STRUCK[letter] ?? letter),
  }));
}

const isApostrophe = (letter?: { plain: string }) => letter !== undefined && APOSTROPHE.test(letter.plain);

export function wordsOf(search: string): string[] {
  return search
    .split(/\s+/u)
    .map((word) => word.replace(/['’‘ʼ′`´]/gu, ''))
    .filter(Boolean);
}

/** The words and, where it is a phone number, the digits that are stored of it; the longest first. */
function needlesOf(search: string): string[][] {
  const digits = search.replace(/[\s.()-]/gu, '').replace(/^(\+|00)39/, '');
  const needles = [...wordsOf(search), ...(/^\d+$/.test(digits) ? [digits] : [])];
  return needles
    .sort((one, other) => other.length - one.length)
    .map((needle) => lettersOf(needle).map(({ plain }) => plain));
}

export interface Part {
  text: string;
  found: boolean;
}

/** Where a needle ends that begins at this letter; apostrophes between letters do not count. -1 where it does not stand. */
function endOf(needle: string[], letters: ReturnType<typeof lettersOf>, start: number): number {
  let at = start;
  for (const letter of needle) {
    while (at > start && isApostrophe(letters[at])) {
      at += 1;
    }
    if (letters[at]?.plain !== letter) {
      return -1;
    }
    at += 1;
  }
  return at;
}

/** Cuts a text where words of the search stand in it, never inside a letter. The parts put together are the text. */
export function markMatches(text: string, search: string): Part[] {
  const letters = lettersOf(text);
  const needles = needlesOf(search);
  const parts: Part[] = [];
  for (let at = 0; at < letters.length; ) {
    const ends = needles.map((needle) => endOf(needle, letters, at));
    const last = Math.max(-1, ...ends);
    const found = last > at;
    const end = found ? last : at + 1;
    const piece = letters
      .slice(at, end)
      .map((letter) => letter.text)
      .join('');
    const before = parts.at(-1);
    if (before?.found === found) {
      before.text += piece;
    } else {
      parts.push({ text: piece, found });
    }
    at = end;
  }
  return parts;
}

export function matches(text: string, search: string): boolean {
  return markMatches(text, search).some(({ found }) => found);
}

/** Letters that stay before the first word found. */
const LEAD = 24;

/** The text from a little before what was found in it: in a line that is cut, that has to be in sight. */
export function fromFound(text: string, search: string): string {
  const [first, ...rest] = markMatches(text, search);
  const late = first !== undefined && !first.found && rest.length > 0 && first.text.length > LEAD;
  return late
    ? `…${first.text.slice(-LEAD).replace(/^\S*\s/u, '')}${rest.map((part) => part.text).join('')}`
    : text;
}

export function Marked({ text, search }: { text: string; search: string }) {
  if (search.trim() === '') {
    return text;
  }
  return markMatches(text, search).map((part, index) => {
    const Element = part.found ? 'mark' : Fragment;
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
    return <Element key={index}>{part.text}</Element>;
  });
}
