import { describe, expect, it } from 'vitest';
import { covered, flagsOf, merged, partsOf, trimmed, without, wordsOf } from './places';

const span = (start: number, end: number) => ({ start, end });

describe('a bar', () => {
  // The rows of the server's own test.
  it.each([
    ['Sono Anna Rossi.', [span(5, 15)], 'Sono █████.'],
    ['Sono Anna Rossi.', [span(10, 15), span(5, 9)], 'Sono █████.'],
    ['Sono Anna, Rossi.', [span(5, 9), span(11, 16)], 'Sono █████, █████.'],
    ['perché è lei', [span(7, 8)], 'perché █████ lei'],
    ['Anna', [span(0, 4), span(2, 3)], '█████'],
    ['Anna e', [span(0, 4)], '█████ e'],
    ['Anna Rossi', [span(0, 4), span(5, 10)], '█████'],
    ['😀 Anna', [span(2, 6)], '😀 █████'],
    ['', [], ''],
  ])('of %j does not tell how much it covers', (text, spans, shown) => {
    expect(covered([...text], spans)).toBe(shown);
  });
});

it('reads words without the signs around them', () => {
  const characters = [...'«Anna», D’Angelo: a@b.it … 😀!'];
  const words = wordsOf(characters).map(({ start, end }) => characters.slice(start, end).join(''));
  expect(words).toEqual(['Anna', 'D’Angelo', 'a@b.it', '…', '😀!']);
});

it('joins and parts places', () => {
  expect(merged([span(5, 7), span(0, 2), span(2, 4), span(6, 9)])).toEqual([span(0, 4), span(5, 9)]);
  expect(without([span(0, 10), span(12, 14)], span(3, 13))).toEqual([span(0, 3), span(13, 14)]);
  expect(trimmed([...'  a b '], span(0, 6))).toEqual(span(2, 5));
  expect(trimmed([...'   '], span(0, 3))).toBeNull();
});

it('parts a stretch by what holds of it', () => {
  const flags = flagsOf(6, [span(1, 3)], [span(2, 5)]);
  expect(partsOf('abcde😀', flags)).toEqual([
    { at: 0, text: 'a', flag: '0' },
    { at: 1, text: 'bc', flag: '1' },
    { at: 3, text: 'de', flag: '2' },
    { at: 5, text: '😀', flag: '0' },
  ]);
});
