import { expect, it } from 'vitest';
import type { CalloutQuestion, CalloutReport } from '../../shared/api/schema';
import { shownRows } from './rows';

const row = (id: string, answers: Record<string, string>): CalloutReport => ({
  id,
  data_creazione: `2026-11-0${id}T10:00:00Z`,
  stato: 'Nuova',
  answers,
});
const rows = [
  row('1', { citta: 'Forlì', euro: '1250,5', giorno: '02/01/2026' }),
  row('2', { citta: 'Àosta', euro: '350' }),
  row('3', { euro: '99', giorno: '31/12/2025' }),
];
const question = (key: string, kind: CalloutQuestion['kind']) => ({ key, kind }) as CalloutQuestion;
const ids = (search: string, by: CalloutQuestion | null, down = false) =>
  shownRows(rows, search, { by, down }).map(({ id }) => id);

it('sorts numbers by size, days by the calendar, words as Italians do; without an answer last', () => {
  expect(ids('', null, true)).toEqual(['3', '2', '1']);
  expect(ids('', question('euro', 'number'))).toEqual(['3', '2', '1']);
  expect(ids('', question('giorno', 'date'))).toEqual(['3', '1', '2']);
  expect(ids('', question('citta', 'text'))).toEqual(['2', '1', '3']);
  expect(ids('', question('citta', 'text'), true)).toEqual(['1', '2', '3']);
});

it('finds words whatever their case and accents', () => {
  expect(ids(' FORLI ', null)).toEqual(['1']);
  expect(ids('aosta', null)).toEqual(['2']);
  expect(ids('roma', null)).toEqual([]);
});
