import { describe, expect, it } from 'vitest';
import { faultOfPhrase, fillIn, PHRASE_MAX } from './placeholders';

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

  it.each([
    ['Ciao {nome}, come va?', '{nome}'],
    ['Fine {name', '{name'],
    ['{{name}}', '{{name}'],
    ['{name} e {org}', undefined],
    ['{name}{', '{'],
    ['}', undefined],
    [`{${'è'.repeat(40)}}`, `{${'è'.repeat(29)}…`],
  ])('finds in %j the wrong one: %j', (phrase, found) => {
    const fault =
      found && `Segnaposto sconosciuto: ${found}. Puoi usare {name}, {org}, {minChars}, {minWords}.`;
    expect(faultOfPhrase(phrase)).toBe(fault);
  });

  it('says what is wrong in the server’s words', () => {
    expect(faultOfPhrase(' \n')).toBe('Il testo non può essere vuoto.');
    expect(faultOfPhrase('è'.repeat(PHRASE_MAX))).toBeUndefined();
    expect(faultOfPhrase('😀'.repeat(PHRASE_MAX + 1))).toBe(
      'Il testo è troppo lungo: al massimo 2000 caratteri, sono 2001.',
    );
  });
});
