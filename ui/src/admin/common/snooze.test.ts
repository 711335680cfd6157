import { expect, it } from 'vitest';
import { snoozes } from './snooze';

const told = (now: string) => snoozes(Date.parse(now)).map(({ label, until }) => `${label} ${until}`);

it('offers what is still to come, by the clocks of the newsroom, over a change of them too', () => {
  // A Friday; on the Sunday the clocks of Rome go back.
  expect(told('2026-10-23T12:00:00Z')).toEqual([
    'Oggi pomeriggio 2026-10-23T14:00:00.000Z',
    'Domani mattina 2026-10-24T06:00:00.000Z',
    'Lunedì mattina 2026-10-26T07:00:00.000Z',
    'Tra una settimana 2026-10-30T07:00:00.000Z',
    'Tra un mese 2026-11-22T07:00:00.000Z',
  ]);
  // A Sunday evening: tomorrow is the Monday.
  expect(told('2026-11-22T20:00:00Z').map((line) => line.slice(0, -25))).toEqual([
    'Domani mattina',
    'Tra una settimana',
    'Tra un mese',
  ]);
});
