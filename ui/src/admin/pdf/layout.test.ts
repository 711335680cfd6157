import { describe, expect, it } from 'vitest';
import { paginate } from './record';

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
