import { describe, expect, it } from 'vitest';
import { fillIn } from './sections';

const tricky = { name: '{org}{name}', org: '{minChars}', minChars: '70', minWords: '10' };

describe('placeholders, as the server reads them', () => {
  it.each([
    ['{name}|{org}', '{org}{name}|{minChars}'],
    ['{minChars}/{minWords}', '70/10'],
    ['{foo} {name', '{foo} {name'],
    ['{{org}}', '{{minChars}}'],
    ['}{', '}{'],
    ['{}', '{}'],
    ['$& {org}', '$& {minChars}'],
    ['', ''],
  ])('says %j as %j, in one pass', (phrase, said) => {
    expect(fillIn(phrase, tricky)).toBe(said);
  });
});
