import { expect, it } from 'vitest';
import { reporterName } from './reporter-name';

it.each([
  ['Maria', 'Rossi', 'Maria Rossi'],
  ['Maria', '', 'Maria'],
  ['', '', 'Anonimo 0b54a6c2'],
])('calls a report of %j %j %j', (nome, cognome, name) => {
  expect(reporterName({ id: '0b54a6c2-6d1e-4f0e-9f4e-6d2f1c3b7a90', nome, cognome })).toBe(name);
});
