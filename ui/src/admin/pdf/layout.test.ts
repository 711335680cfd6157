import { describe, expect, it } from 'vitest';
import { paginate, wrap } from './layout';

/** Every character is one millimetre wide. */
const measure = (text: string) => [...text].length;
const lines = (text: string, width = 10) => wrap(text, measure, width);

describe('line breaking', () => {
  it('breaks at blanks, and keeps what fits exactly', () => {
    expect(lines('una due tre quattro')).toEqual(['una due', 'tre', 'quattro']);
    expect(lines('1234567890 x')).toEqual(['1234567890', 'x']);
    expect(lines('12345 7890')).toEqual(['12345 7890']);
  });

  it('keeps line feeds, empty lines and the indentation of a line', () => {
    expect(lines('a\n\n  b\n')).toEqual(['a', '', '  b', '']);
  });

  it('cuts a word that fits no line, and goes on after it', () => {
    expect(lines('ab 123456789012345678901 cd')).toEqual(['ab', '1234567890', '1234567890', '1 cd']);
  });

  it('does not part a letter from its marks', () => {
    const marked = 'e\u0323\u0301';
    const wide = (text: string) => text.replace(/\p{M}/gu, '').length;
    expect(wrap(marked.repeat(4), wide, 3)).toEqual([marked.repeat(3), marked]);
  });

  it('loses nothing but blanks, whatever the text', () => {
    let seed = 7;
    const next = (limit: number) => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return seed % limit;
    };
    for (let round = 0; round < 300; round += 1) {
      const text = Array.from({ length: next(60) }, () => 'ab  \nì'[next(6)]).join('');
      const broken = wrap(text, measure, 1 + next(9));
      expect(broken.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
    }
    for (const line of lines('parola '.repeat(200), 23)) {
      expect(measure(line)).toBeLessThanOrEqual(23);
    }
  });

  it('lets a run of blanks that is wider than a line open no line of its own', () => {
    expect(lines(`a${' '.repeat(30)}b`)).toEqual(['a', 'b']);
    expect(lines(`${' '.repeat(30)}b`)).toEqual(['b']);
  });
});

describe('page breaking', () => {
  const strip = (name: string, height: number, keepWithNext = false) => ({ name, height, keepWithNext });
  const named = (pages: { name: string }[][]) => pages.map((page) => page.map(({ name }) => name).join(' '));

  it('fills pages to the brim, in order', () => {
    const strips = ['a', 'b', 'c', 'd', 'e'].map((name) => strip(name, 5));
    expect(named(paginate(strips, 10))).toEqual(['a b', 'c d', 'e']);
    expect(paginate([], 10)).toEqual([]);
  });

  it('takes a heading along to the page of its text', () => {
    const strips = [strip('a', 6), strip('H', 2, true), strip('b', 5), strip('c', 2)];
    expect(named(paginate(strips, 10))).toEqual(['a', 'H b c']);
  });

  it('gives a strip that fits no page one of its own', () => {
    expect(named(paginate([strip('a', 3), strip('b', 30), strip('c', 3)], 10))).toEqual(['a', 'b', 'c']);
  });

  it('does not loop over headings that have nothing to stay with', () => {
    const strips = [strip('H', 6, true), strip('I', 6, true), strip('J', 6, true)];
    expect(named(paginate(strips, 10))).toEqual(['H', 'I', 'J']);
  });
});
