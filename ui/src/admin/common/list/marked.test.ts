import { describe, expect, it } from 'vitest';
import { fromFound, markMatches } from './marked';

const marked = (text: string, search: string) =>
  markMatches(text, search)
    .map((part) => (part.found ? `[${part.text}]` : part.text))
    .join('');

describe('marks of a search', () => {
  it.each([
    ['Nicolò Sartori', 'nicolo', '[Nicolò] Sartori'],
    ['Nicolò Sartori', 'LÒ SA', 'Nico[lò] [Sa]rtori'],
    ['Nicolo\u0300 Sartori', 'nicolò', '[Nicolo\u0300] Sartori'],
    ['Anna Hannah', 'anna', '[Anna] H[anna]h'],
    ['aaaa', 'aa', '[aaaa]'],
    ['Maria  Rossi', '  maria ', '[Maria]  Rossi'],
    ['3331234567', '123 45', '333[12345]67'],
    ['3331234567', '+39 333', '[333]1234567'],
    ['한국', '한', '[한]국'],
    ['100%_x', '%_', '100[%_]x'],
    ['Anna D’Angelo', "d'angelo", 'Anna [D’Angelo]'],
    ['Łukasz Rossi', 'lukasz', '[Łukasz] Rossi'],
    ['Mario Rossi', 'rossi mario', '[Mario] [Rossi]'],
    ['Anna D’Angelo', 'dangelo', 'Anna [D’Angelo]'],
    ['Anna D’Angelo', "ang'elo", 'Anna D’[Angelo]'],
    ["'a", 'a', "'[a]"],
    ['Maria', '   ', 'Maria'],
    ['Maria', 'Marianna', 'Maria'],
    ['', 'x', ''],
  ])('in %j for %j', (text, search, wanted) => {
    expect(marked(text, search)).toBe(wanted);
  });
});

describe('a line that is cut', () => {
  it.each([
    [
      'Una lunga premessa che non dice niente, poi la mensa scolastica',
      'mensa',
      '…dice niente, poi la mensa scolastica',
    ],
    ['La mensa scolastica', 'mensa', 'La mensa scolastica'],
    ['Una lunga premessa che non dice niente', 'mensa', 'Una lunga premessa che non dice niente'],
    ['Una lunga premessa che non dice niente', '', 'Una lunga premessa che non dice niente'],
  ])('of %j begins near %j', (text, search, wanted) => {
    expect(fromFound(text, search)).toBe(wanted);
  });
});
