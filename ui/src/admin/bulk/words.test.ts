import { describe, expect, it } from 'vitest';
import type { BulkChange } from '../../shared/api/schema';
import { wordsOf } from './words';

const names = {
  person: () => 'Sara',
  department: () => 'Sanità/Ospedali',
  label: () => 'Etichetta «Caporalato»',
  story: () => 'Villa Serenella',
};

describe('what was done to how many', () => {
  it.each<[BulkChange, string, string]>([
    [{ stato: 'Archiviata' }, '1 segnalazione archiviata', '1.200 segnalazioni archiviate'],
    [{ done: true }, 'Fatto: 1 segnalazione', 'Fatto: 1.200 segnalazioni'],
    [{ done: false }, 'Da fare: 1 segnalazione', 'Da fare: 1.200 segnalazioni'],
    [{ stato: 'Risolta' }, '1 segnalazione risolta', '1.200 segnalazioni risolte'],
    [{ stato: 'In lavorazione' }, '1 segnalazione in lavorazione', '1.200 segnalazioni in lavorazione'],
    [{ stato: 'Nuova' }, '1 segnalazione rimessa tra le nuove', '1.200 segnalazioni rimesse tra le nuove'],
    [
      { department: 'sanita' },
      '1 segnalazione spostata in Sanità/Ospedali',
      '1.200 segnalazioni spostate in Sanità/Ospedali',
    ],
    [{ assegnataA: 'x' }, '1 segnalazione assegnata a Sara', '1.200 segnalazioni assegnate a Sara'],
    [{ assegnataA: null }, '1 segnalazione non più assegnata', '1.200 segnalazioni non più assegnate'],
    [
      { labels: { add: [1], remove: [] } },
      'Etichetta «Caporalato» messa a 1 segnalazione',
      'Etichetta «Caporalato» messa a 1.200 segnalazioni',
    ],
    [
      { labels: { add: [], remove: [1] } },
      'Etichetta «Caporalato» tolta da 1 segnalazione',
      'Etichetta «Caporalato» tolta da 1.200 segnalazioni',
    ],
    [
      { snoozedUntil: '2026-11-30T07:00:00Z' },
      '1 segnalazione rinviata al 30/11/2026',
      '1.200 segnalazioni rinviate al 30/11/2026',
    ],
    [
      { story: 's' },
      '1 segnalazione aggiunta a «Villa Serenella»',
      '1.200 segnalazioni aggiunte a «Villa Serenella»',
    ],
    [{ story: null }, '1 segnalazione tolta dalla storia', '1.200 segnalazioni tolte dalla storia'],
    [{ urgente: true }, '1 segnalazione urgente', '1.200 segnalazioni urgenti'],
    [{ urgente: false }, '1 segnalazione non più urgente', '1.200 segnalazioni non più urgenti'],
  ])('%j: %s', (edit, one, many) => {
    expect([wordsOf(edit, 1, names), wordsOf(edit, 1200, names)]).toEqual([one, many]);
  });
});
