/** Places of a text, in characters as the server counts them (Unicode code points). Must never count in UTF-16 units. */
import type { Span } from '../../shared/api/schema';

/** What stands in place of what is covered, of one length whatever that was (PRODUCT.md §19). */
export const BAR = '█████';

export const isWithin = ({ start, end }: Span, spans: readonly Span[]): boolean =>
  spans.some((span) => span.start <= start && end <= span.end);

export const overlaps = (one: Span, other: Span): boolean => one.start < other.end && other.start < one.end;

export const isSame = (one: Span, other: Span): boolean => one.start === other.start && one.end === other.end;

/** In their order; those that touch are one. */
export function merged(spans: readonly Span[]): Span[] {
  const whole: Span[] = [];
  for (const { start, end } of [...spans].sort((one, other) => one.start - other.start)) {
    const last = whole.at(-1);
    if (last && start <= last.end) {
      last.end = Math.max(last.end, end);
    } else {
      whole.push({ start, end });
    }
  }
  return whole;
}

/** What is left of places once a part of the text is taken out of them. */
export const without = (spans: readonly Span[], { start, end }: Span): Span[] =>
  spans
    .flatMap((span) => [
      { start: span.start, end: Math.min(span.end, start) },
      { start: Math.max(span.start, end), end: span.end },
    ])
    .filter((span) => span.start < span.end);

/** The words of a text: characters without a blank between them, and without the signs around them. */
export function wordsOf(characters: readonly string[]): Span[] {
  const words: Span[] = [];
  characters.forEach((character, at) => {
    const last = words.at(-1);
    if (/\s/u.test(character)) {
      return;
    }
    if (last?.end === at) {
      last.end = at + 1;
    } else {
      words.push({ start: at, end: at + 1 });
    }
  });
  const isSign = (at: number) => !/[\p{L}\p{N}]/u.test(characters[at] ?? '');
  return words.map(({ start, end }) => {
    let [from, to] = [start, end];
    while (from < to && isSign(from)) {
      from += 1;
    }
    while (from < to && isSign(to - 1)) {
      to -= 1;
    }
    return from < to ? { start: from, end: to } : { start, end };
  });
}

/** A place without the blanks around it; null where nothing else is in it. */
export function trimmed(characters: readonly string[], { start, end }: Span): Span | null {
  const text = characters.slice(start, end);
  const isBlank = (character: string) => /\s/u.test(character);
  const first = text.findIndex((character) => !isBlank(character));
  const last = text.findLastIndex((character) => !isBlank(character));
  return first < 0 ? null : { start: start + first, end: start + last + 1 };
}

/** The text as it leaves. Places between which only blanks stand are one bar, so that bars do not count words. */
export function covered(characters: readonly string[], spans: readonly Span[]): string {
  let shown = '';
  let from = 0;
  for (const { start, end } of merged(spans)) {
    const between = characters.slice(from, start).join('');
    const joined = from > 0 && /^[ \u00a0]*$/.test(between) && shown.endsWith(BAR);
    shown += joined ? '' : between + BAR;
    from = Math.min(end, characters.length);
  }
  return shown + characters.slice(from).join('');
}

/** What holds of a character: nothing, that it is covered, that a proposal of it was not looked at. */
export const PLAIN = '0';
export const COVERED = '1';
export const OPEN = '2';

/** One sign for each character of a text. */
export function flagsOf(length: number, spans: readonly Span[], open: readonly Span[]): string {
  const flags = Array<string>(length).fill(PLAIN);
  for (const { start, end } of open) {
    flags.fill(OPEN, start, end);
  }
  for (const { start, end } of spans) {
    flags.fill(COVERED, start, end);
  }
  return flags.join('');
}

interface Part {
  at: number;
  text: string;
  flag: string;
}

/** A stretch of text in parts of which one thing holds. */
export function partsOf(text: string, flags: string): Part[] {
  const parts: Part[] = [];
  [...text].forEach((character, at) => {
    const flag = flags[at] ?? PLAIN;
    const last = parts.at(-1);
    if (last?.flag === flag) {
      last.text += character;
    } else {
      parts.push({ at, text: character, flag });
    }
  });
  return parts;
}
