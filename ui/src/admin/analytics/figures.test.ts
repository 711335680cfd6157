import { describe, expect, it } from 'vitest';
import { sampleAnalytics } from '../testing/sample-analytics';
import { change, chartSentence, duration, refusal, scaleFor, share, shortDay, workingDays } from './figures';

describe('figures in words', () => {
  it('say a dash where there is nothing to compute from, and a nought where it was computed', () => {
    expect([share(null), change(null), workingDays(null), duration(null)]).toEqual(['—', '—', '—', '—']);
    expect([share(0), change(0), workingDays(0)]).toEqual(['0%', '0%', '0 giorni lavorativi']);
  });

  it.each([
    [12, '+12%'],
    [-8.3, '-8,3%'],
    [500, '+500%'],
  ])('show a change of %d with its sign', (percent, text) => {
    expect(change(percent)).toBe(text);
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
    const { perDay } = sampleAnalytics();
    expect(chartSentence(perDay)).toBe(
      'Segnalazioni ricevute al giorno negli ultimi 90 giorni: 3 in tutto, al massimo 2 (ven 20 novembre 2026).',
    );
    expect(chartSentence(perDay.map(({ date }) => ({ date, count: 0 })))).toMatch(/: 0 in tutto\.$/);
    expect(shortDay('2026-08-24')).toBe('24 ago');
  });

  it('name every rule that refuses', () => {
    expect(refusal('too_short', 2)).toBe('troppo breve: 2');
    expect(refusal('forbidden', 3)).toBe('con parole vietate: 3');
  });
});
