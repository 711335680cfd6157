import { describe, expect, it } from 'vitest';
import { sampleList, sampleRow } from '../testing/samples';
import { keepOpen } from './use-report-list';

/** A page with a row for each letter. */
const page = (letters: string) => sampleList([...letters].map((id) => sampleRow({ id })));

describe('the open report in a list that it has left', () => {
  it.each([
    ['is where it stood', 'abc', 'b', 'ac', 'abc'],
    ['is not behind one that stood behind it, where those ahead have left too', 'abcd', 'b', 'cd', 'bcd'],
    ['is behind what arrived ahead', 'abc', 'a', 'nbc', 'nabc'],
    ['is ahead of what fills up the page', 'abc', 'c', 'abd', 'abcd'],
    ['stays alone', 'a', 'a', '', 'a'],
    ['is once in a list that still has it', 'abc', 'b', 'bc', 'bc'],
    ['is in none where it was not', 'abc', 'x', 'ab', 'ab'],
  ])('%s', (_, before, open, now, shown) => {
    const { data } = keepOpen(page(before), page(now), open);
    expect(data.map(({ id }) => id).join('')).toBe(shown);
  });
});
