import { expect, it } from 'vitest';
import { initialsOf, userNameOf } from './people';

it.each([
  ['Anna Rossi', 'AR', 'anna.rossi'],
  ['  Nicolò  D’Angelo ', 'ND', 'nicolo.d.angelo'],
  ['Anna Maria de’ Medici', 'AM', 'anna.maria.de.medici'],
  ['Zoë', 'Z', 'zoe'],
  ['', '', ''],
])('%s', (name, initials, user) => {
  expect(initialsOf(name)).toBe(initials);
  expect(userNameOf(name)).toBe(user);
});
