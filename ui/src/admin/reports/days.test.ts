import { describe, expect, it } from 'vitest';
import { DAY_WORDS, daysIn } from './days';

/** A Saturday. */
const TODAY = '2026-11-28';

describe('days as people write them', () => {
  it.each<[string, (string | undefined)?, (string | undefined)?]>([
    ['oggi', '2026-11-28', '2026-11-28'],
    ['Ieri', '2026-11-27', '2026-11-27'],
    ['l’altro ieri', '2026-11-26', '2026-11-26'],
    ['altroieri', '2026-11-26', '2026-11-26'],
    ['lunedì', '2026-11-23', '2026-11-23'],
    ['sabato', '2026-11-28', '2026-11-28'],
    ['sabato scorso', '2026-11-21', '2026-11-21'],
    ['questa settimana', '2026-11-23', '2026-11-29'],
    ['la settimana scorsa', '2026-11-16', '2026-11-22'],
    ['questo mese', '2026-11-01', '2026-11-30'],
    ['il mese scorso', '2026-10-01', '2026-10-31'],
    ['quest’anno', '2026-01-01', '2026-12-31'],
    ['l’anno scorso', '2025-01-01', '2025-12-31'],
    ['novembre', '2026-11-01', '2026-11-30'],
    ['a dicembre', '2025-12-01', '2025-12-31'],
    ['nov. 2025', '2025-11-01', '2025-11-30'],
    ['febbraio 2024', '2024-02-01', '2024-02-29'],
    ['11/2025', '2025-11-01', '2025-11-30'],
    ['2025', '2025-01-01', '2025-12-31'],
    ['3 novembre', '2026-11-03', '2026-11-03'],
    ['martedì 3 novembre', '2026-11-03', '2026-11-03'],
    ['il primo novembre', '2026-11-01', '2026-11-01'],
    ['1° nov. 2025', '2025-11-01', '2025-11-01'],
    ['3 dicembre', '2025-12-03', '2025-12-03'],
    ['29 febbraio 2024', '2024-02-29', '2024-02-29'],
    ['12/11', '2026-11-12', '2026-11-12'],
    ['12.11.2025', '2025-11-12', '2025-11-12'],
    ['12-11-25', '2025-11-12', '2025-11-12'],
    ['2026-11-12', '2026-11-12', '2026-11-12'],
    ['ultimi 7 giorni', '2026-11-22', '2026-11-28'],
    ['ultimi due mesi', '2026-09-28', '2026-11-28'],
    ['ultime 2 settimane', '2026-11-15', '2026-11-28'],
    ['ultimo mese', '2026-10-28', '2026-11-28'],
    ['dal 3 novembre', '2026-11-03'],
    ['da ieri', '2026-11-27'],
    ['dall’1/11', '2026-11-01'],
    ['dopo il 3 novembre', '2026-11-04'],
    ['fino al 3/11', undefined, '2026-11-03'],
    ['entro ottobre', undefined, '2026-10-31'],
    ['prima di novembre', undefined, '2026-10-31'],
    ['dal 3 al 12 novembre', '2026-11-03', '2026-11-12'],
    ['dal 20 dicembre al 3 gennaio', '2025-12-20', '2026-01-03'],
    ['tra il 3/11 e il 12/11', '2026-11-03', '2026-11-12'],
    ['3-12 novembre', '2026-11-03', '2026-11-12'],
    ['da settembre a ottobre', '2026-09-01', '2026-10-31'],
    // Not days: they stay what they are.
    ['31/02'],
    ['12/13'],
    ['29/02/2025'],
    ['0/0'],
    ['3'],
    ['3331234567'],
    ['Maria'],
    ['ma'],
    ['mar rosso'],
    ['via 4 Novembre 12'],
    ['dal dentista'],
    ['dal 40 novembre'],
    ['dal 12 novembre al 3 novembre'],
    ['ultimi zero giorni'],
    ['negli ultimi trenta giorni'],
    ['giu'],
    ['mar'],
    ['ieri sera in ospedale'],
    ['(ieri'],
    ['\\d+[/'],
    ['dal'],
    [''],
    [' '],
    ['-'],
  ])('%j are from %j to %j', (typed, from, to) => {
    const wanted = from || to ? { ...(from && { from }), ...(to && { to }) } : null;
    expect(daysIn(typed, TODAY)).toEqual(wanted);
  });

  it('are all read that the field completes to', () => {
    expect(DAY_WORDS.filter((word) => daysIn(word, TODAY) === null)).toEqual([]);
  });
});
