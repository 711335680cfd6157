/** Marks what was searched for. What is found the server decides; here only what a reader sees of it. */
import { Fragment } from 'react';

const graphemes = new Intl.Segmenter('it', { granularity: 'grapheme' });

/** Without upper case, accents and kinds of apostrophe, as the server compares. */
function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .normalize('NFC')
    .replace(/[’‘ʼ′`´]/gu, "'");
}

/** The text that is looked for and, where it is a phone number, the digits that are stored of it. */
function needlesOf(search: string): string[] {
  const digits = search.replace(/[\s.()-]/gu, '').replace(/^(\+|00)39/, '');
  const typed = fold(search.trim().replace(/\s+/gu, ' '));
  return [typed, /^\d+$/.test(digits) ? digits : ''].filter(Boolean);
}

/** How many of these letters, from the first on, make up the needle; 0 when they do not. */
function lengthOf(needle: string, letters: readonly string[]): number {
  let folded = '';
  const at = letters.findIndex((letter) => {
    folded += fold(letter);
    return folded.length >= needle.length || !needle.startsWith(folded);
  });
  return folded === needle ? at + 1 : 0;
}

export interface Part {
  text: string;
  found: boolean;
}

/** Cuts a text where the search stands in it, never inside a letter. The parts put together are the text. */
export function markMatches(text: string, search: string): Part[] {
  const letters = Array.from(graphemes.segment(text), ({ segment }) => segment);
  const needles = needlesOf(search);
  const parts: Part[] = [];
  for (let at = 0; at < letters.length; ) {
    const rest = letters.slice(at);
    const length = Math.max(0, ...needles.map((needle) => lengthOf(needle, rest)));
    const found = length > 0;
    const piece = rest.slice(0, length || 1).join('');
    const last = parts.at(-1);
    if (last?.found === found) {
      last.text += piece;
    } else {
      parts.push({ text: piece, found });
    }
    at += length || 1;
  }
  return parts;
}

export function matches(text: string, search: string): boolean {
  return markMatches(text, search).some(({ found }) => found);
}

/** A text with the places marked where the search stands. */
export function Marked({ text, search }: { text: string; search: string }) {
  let at = 0;
  return markMatches(text, search).map((part) => {
    const key = at;
    at += part.text.length;
    return part.found ? <mark key={key}>{part.text}</mark> : <Fragment key={key}>{part.text}</Fragment>;
  });
}
