import { describe, expect, it } from 'vitest';
import type { LocalReport } from '../common/local-reports';
import { type Filters, NO_FILTERS } from './filters';
import { selectLocal } from './local-selection';

const report = (id: string, data_creazione: string, more: Partial<LocalReport> = {}): LocalReport => ({
  id,
  nome: 'Nicolò',
  cognome: 'Sartori',
  email: 'n.sartori@esempio.example',
  telefono: '3205550142',
  indirizzo: 'Corso Milano 88',
  segnalazione: 'Contratti da quattro ore.',
  eta: 41,
  data_creazione,
  stato: 'Nuova',
  note: '',
  ...more,
});
const select = (reports: LocalReport[], filters: Partial<Filters>, now = '2026-11-21T10:00:00Z') =>
  selectLocal(reports, { ...NO_FILTERS, ...filters }, new Date(now)).map(({ id }) => id);

describe('the local reports of a selection', () => {
  const one = [report('1', '2026-11-21T09:00:00Z')];

  it('are all of them on the first page without filters, and none on another', () => {
    expect(select(one, {})).toEqual(['1']);
    expect(select(one, { cursor: 'p12' })).toEqual([]);
  });

  it('are none of a department, nor among the urgent: nobody has read them', () => {
    expect(select(one, { department: 'generale' })).toEqual([]);
    expect(select(one, { urgente: true })).toEqual([]);
  });

  it('have the wanted status', () => {
    expect(select(one, { stato: 'Nuova' })).toEqual(['1']);
    expect(select(one, { stato: 'Risolta' })).toEqual([]);
  });

  it.each([
    ['today', '2026-11-20T23:00:00Z', true],
    ['today', '2026-11-20T22:59:59Z', false],
    ['week', '2026-11-14T10:00:00Z', true],
    ['week', '2026-11-14T09:59:59Z', false],
    ['month', '2026-10-21T09:00:00Z', true],
    ['month', '2026-10-21T08:59:59Z', false],
  ] as const)('are of the period in Rome: %s, %s', (period, created, wanted) => {
    // On 21 October Rome was two hours ahead of UTC, in November one.
    expect(select([report('1', created)], { period })).toEqual(wanted ? ['1'] : []);
  });

  it('go back to the last day of a shorter month', () => {
    const now = '2026-03-31T10:00:00Z';
    expect(select([report('1', '2026-02-28T11:00:00Z')], { period: 'month' }, now)).toEqual(['1']);
    expect(select([report('1', '2026-02-28T10:59:00Z')], { period: 'month' }, now)).toEqual([]);
  });

  it('are found by their number however it was typed', () => {
    const typed = [report('1', '2026-11-21T09:00:00Z', { telefono: '+39 320 555.0142' })];
    for (const search of ['3205550142', '320 555', '+39320']) {
      expect(select(typed, { search }), search).toEqual(['1']);
    }
  });

  it.each([
    ['nicolo sart', false, true],
    ['ESEMPIO.EXAMPLE', false, true],
    ['05550', false, true],
    ['quattro', false, false],
    ['quattro', true, true],
    ['Corso', true, false],
    ['  ', false, true],
  ])('hold %j (in the text: %s): %s', (search, inText, wanted) => {
    expect(select(one, { search, inText })).toEqual(wanted ? ['1'] : []);
  });
});
