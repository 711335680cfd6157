import { describe, expect, it } from 'vitest';
import { fold, markMatches, matches } from './match';

const marked = (text: string, search: string) =>
  markMatches(text, search)
    .map((part) => (part.found ? `[${part.text}]` : part.text))
    .join('');

describe('marks of a search', () => {
  it.each([
    ['Nicolò Sartori', 'nicolo', '[Nicolò] Sartori'],
    ['Nicolò Sartori', 'LÒ SA', 'Nico[lò Sa]rtori'],
    ['Nicolo\u0300 Sartori', 'nicolò', '[Nicolo\u0300] Sartori'],
    ['Nicolò Sartori', 'nicolo\u0300', '[Nicolò] Sartori'],
    ['Anna Hannah', 'anna', '[Anna] H[anna]h'],
    ['aaaa', 'aa', '[aaaa]'],
    ['3331233', '3', '[333]12[33]'],
    ['Maria  Rossi', '  maria ', '[Maria]  Rossi'],
    ['3331234567', '12345', '333[12345]67'],
    ['3331234567', '123 45', '333[12345]67'],
    ['3331234567', '+39 333', '[333]1234567'],
    ['3331234567', '0039-(333).1', '[3331]234567'],
    ['3331234567', '+41 333', '3331234567'],
    ['Tel. 333 123, 333123', '333 123', 'Tel. [333 123], [333123]'],
    ['1.11', '1.1', '[1.11]'],
    ['İstanbul', 'istan', '[İstan]bul'],
    ['한국', '한', '[한]국'],
    ['\u1112\u1161\u11ab국', '한', '[\u1112\u1161\u11ab]국'],
    ['a.b', '.', 'a[.]b'],
    ['100%_x', '%_', '100[%_]x'],
    ['Anna D’Angelo', "d'angelo", 'Anna [D’Angelo]'],
    ["Anna D'Angelo", 'd’angelo', "Anna [D'Angelo]"],
    ['a’b‘cʼd′e`f´g', "a'b'c'd'e'f'g", '[a’b‘cʼd′e`f´g]'],
    ['Maria', '', 'Maria'],
    ['Maria', '   ', 'Maria'],
    ['Maria', 'Marianna', 'Maria'],
    ['', 'x', ''],
  ])('in %j for %j', (text, search, wanted) => {
    expect(marked(text, search)).toBe(wanted);
  });

  it('never cut a letter in two, and put together are the text', () => {
    const text = 'Ștefan 👩🏽‍🚒 e\u0323\u0301 Țîrlea';
    for (const search of ['e', 's', 't', ' ', 'stefan', '👩', '\u0301']) {
      const parts = markMatches(text, search);
      expect(parts.map((part) => part.text).join('')).toBe(text);
      for (const part of parts) {
        expect(part.text).not.toMatch(/^[\p{M}\u200d]/u);
      }
    }
  });

  it('stand where the search matches, and only there', () => {
    expect(matches('Nicolò', 'OLO')).toBe(true);
    expect(matches('Nicolò', 'olà')).toBe(false);
    expect(matches('Nicolò', ' ')).toBe(false);
    expect(fold('È e\u0300 ÿ İ')).toBe('e e y i');
  });
});
