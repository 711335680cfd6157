import { describe, expect, it } from 'vitest';
import { chartSentence, duration, refusal, scaleFor, share, shortDay, trend, workingDays } from './figures';

describe('figures in words', () => {
  it('say a dash where there is nothing to compute from, and a nought where it was computed', () => {
    expect([share(null), workingDays(null), duration(null)]).toEqual(['—', '—', '—']);
    expect([share(0), workingDays(0)]).toEqual(['0%', '0 giorni lavorativi']);
  });

  it.each([
    [0.4, 'meno di un minuto'],
    [1, '1 minuto'],
    [59.4, '59 minuti'],
    [60, '1 ora'],
    [90, '1,5 ore'],
    [2879, '48 ore'],
    [2880, '2 giorni'],
    [14_400, '10 giorni'],
  ])('tell %d minutes in the unit a person would use', (minutes, text) => {
    expect(duration(minutes)).toBe(text);
  });

  it.each([
    [0, null, 'Nessuna da due mesi'],
    [5, null, 'Nessuna il mese prima'],
    [4, 0.2, 'Quante il mese prima'],
    [6, 50, '+50% sul mese prima'],
    [1, -75, '−75% sul mese prima'],
    [9000, 224_900, '+224.900% sul mese prima'],
  ])('compare %d this month, a change of %s %, with the month before', (current, percent, text) => {
    expect(trend({ current, previous: 4, percent })).toBe(text);
  });

  it('count working days in the right number', () => {
    expect([workingDays(1), workingDays(2.3)]).toEqual(['1 giorno lavorativo', '2,3 giorni lavorativi']);
  });

  it.each([
    [0, 2],
    [1, 2],
    [2, 2],
    [3, 4],
    [5, 6],
    [7, 10],
    [11, 20],
    [61, 100],
    [101, 200],
  ])('scale a chart whose highest bar is %d up to %d', (largest, top) => {
    expect(scaleFor(largest)).toBe(top);
  });

  it('tell the chart in a sentence', () => {
    const columns = [
      { name: 'ven 20 novembre 2026', count: 2 },
      { name: 'sab 21 novembre 2026', count: 1 },
    ];
    expect(chartSentence('Segnalazioni', columns)).toBe(
      'Segnalazioni: 3 in tutto, al massimo 2 (ven 20 novembre 2026).',
    );
    expect(chartSentence('Segnalazioni', [])).toBe('Segnalazioni: 0 in tutto.');
    expect(shortDay('2026-08-24')).toBe('24 ago');
  });

  it('name every rule that refuses', () => {
    expect(refusal('too_short', 2)).toBe('troppo breve: 2');
    expect(refusal('forbidden', 3)).toBe('con parole vietate: 3');
  });
});
