import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DeskMessage, ReportDetail } from '../../shared/api/schema';
import { PLAIN } from '../../shared/testing/plain-message';
import { readPdf } from '../testing/read-pdf';
import { sampleReport } from '../testing/samples';
import { drawCleanCopy, drawRecord, REPLACED_NOTE } from './record';

const font = new Uint8Array(readFileSync(join(import.meta.dirname, 'font/record-font.ttf'))).buffer;
const FOOTER = 'Stampata dal pannello il 21/11/2026 12:05';

async function record(
  changes: Partial<ReportDetail> = {},
  productName = 'PelazzAI',
  messages: DeskMessage[] = [],
) {
  const options = { messages, productName, font, printedAt: '2026-11-21T11:05:00Z' };
  const blob = drawRecord(sampleReport(changes), options);
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return { bytes, ...(await readPdf(bytes)) };
}

describe('the PDF record', () => {
  it('says all there is, in order, with a footer', async () => {
    const { pages, title } = await record();
    expect(pages).toEqual([
      [
        'PelazzAI – Scheda Segnalazione',
        'ID Segnalazione | 0b54a6c2-6d1e-4f0e-9f4e-6d2f1c3b7a90',
        'Data Ricezione | 20/11/2026 23:30',
        'Stato Attuale | Nuova',
        'Reparto | Redazione Generale',
        'Urgente | No',
        'Dati Personali',
        'Nome Completo | Maria Rossi',
        'Età | 41 anni',
        'Telefono | 3123456789',
        'Email | maria.rossi@esempio.it',
        'Indirizzo | Via Garibaldi 1, Milano',
        'Testo della Segnalazione',
        'Un fatto.',
        'Altre due parole.',
        `${FOOTER} | Pagina 1 di 1`,
      ],
    ]);
    expect(title).toBe('Segnalazione #0b54a6c2-6d1e-4f0e-9f4e-6d2f1c3b7a90');
  });

  it('has a section for the notes only when there are any', async () => {
    const withNote = (await record({ note: 'Richiamare giovedì.\n' })).pages[0] ?? [];
    expect(withNote.slice(-3, -1)).toEqual(['Note Interne', 'Richiamare giovedì.']);
    expect((await record({ note: '  ' })).pages[0]).not.toContain('Note Interne');
  });

  it('has the answers to a callout before the text', async () => {
    const inchiesta = { id: 'a', slug: 'letto', title: 'Posti letto', version: 2 };
    const risposte = [
      { key: 'd1', kind: 'yes_no' as const, question: 'Hai pagato?', text: 'Sì', value: true },
      { key: 'd2', kind: 'number' as const, question: 'Quanti euro?', text: '350', value: 350 },
    ];
    const lines = (await record({ inchiesta, risposte, nome: '', cognome: '' })).pages[0] ?? [];
    expect(lines).toContain('Nome Completo | Anonimo 0b54a6c2');
    const at = lines.indexOf('Inchiesta: Posti letto');
    expect(lines.slice(at, at + 6)).toEqual([
      'Inchiesta: Posti letto',
      'Hai pagato?',
      'Sì',
      'Quanti euro?',
      '350',
      'Testo della Segnalazione',
    ]);
  });

  it('has questions back with their answers, and consents in the words in which they were asked', async () => {
    const of = {
      ...PLAIN,
      from: 'redazione',
      author: null,
      text: 'Due cose.',
      at: '2026-11-21T08:00:00Z',
    } as const;
    const question = (key: string, text: string) =>
      ({ key, text, kind: 'text', help: '', required: false, min: null, max: null, options: [] }) as const;
    const answer = {
      key: 'a',
      kind: 'text',
      question: 'Chi c’era?',
      text: 'Solo io.',
      value: 'Solo io.',
    } as const;
    const questions = [question('a', 'Chi c’era?'), question('b', 'Da quando?')].map((one) => ({
      ...one,
      options: [],
    }));
    const answers = { data: [answer], at: '2026-11-21T09:00:00Z', read: true };
    const consent = { id: 2, kind: 'voce', text: 'Si può sentire la tua voce?', asked: of.at } as const;
    const consents = [{ ...consent, given: false, answered: '2026-11-21T10:00:00Z', givenAt: of.at }];
    const lines =
      (
        await record({ consents }, 'X', [
          { ...of, questions, answers },
          { ...of, questions },
        ])
      ).pages[0] ?? [];
    const at = lines.indexOf('Domande e risposte');
    expect(lines.slice(at, -1)).toEqual([
      'Domande e risposte',
      'Chieste il 21/11/2026 09:00, risposte il 21/11/2026 10:00',
      'Chi c’era?',
      'Solo io.',
      'Da quando?',
      'Saltata',
      'Chieste il 21/11/2026 09:00',
      'Chi c’era?',
      'Non ancora risposto',
      'Da quando?',
      'Non ancora risposto',
      'Consensi',
      'Voce: sì, il 21/11/2026 09:00, ritirato il 21/11/2026 11:00. Chiesto il 21/11/2026 09:00 con queste parole:',
      'Si può sentire la tua voce?',
    ]);
  });

  it('says so when there is no text', async () => {
    expect((await record({ segnalazione: '' })).pages[0]).toContain('Nessuna segnalazione disponibile');
  });

  it('prints Italian, Romanian, Albanian and typography, in the embedded font alone', async () => {
    const text = 'àèìòù ÀÈÌÒÙ € “virgolette” ‘apici’ l’altro – e — … Ștefan Țîrlea ăâî Gëzim Çela';
    const { pages, fonts } = await record({ segnalazione: text, nome: 'Ștefan', cognome: 'D’Angelo' });
    expect(pages[0]).toContain(text);
    expect(pages[0]).toContain('Nome Completo | Ștefan D’Angelo');
    expect(pages[0]).not.toContain(REPLACED_NOTE);
    expect(new Set(fonts).size).toBe(1);
  });

  it('replaces what it cannot print where one sees it, and says so', async () => {
    const { pages } = await record({ segnalazione: 'Ciao 👩🏽‍🚒 da 漢字!', nome: 'Anna 😀' }, 'Prova 🙂');
    const lines = pages[0] ?? [];
    expect(lines).toContain('Ciao [emoji] da □□!');
    expect(lines).toContain('Nome Completo | Anna [emoji] Rossi');
    expect(lines).toContain('Prova [emoji] – Scheda Segnalazione');
    expect(lines.join(' ')).toContain('il testo originale è nel pannello.');
  });

  it('runs on over as many pages as it takes, loses no word and numbers the pages', async () => {
    const words = Array.from({ length: 3000 }, (_, index) => `p${index}`);
    const { pages } = await record({ segnalazione: words.join(' '), note: 'In fondo.' });
    expect(pages.length).toBeGreaterThan(3);
    const last = pages.length;
    const said = pages.flatMap((page, index) => {
      const [first] = page;
      const header = index > 0 ? 'PelazzAI – Segnalazione #0b54a6c2-6d1e-4f0e-9f4e-6d2f1c3b7a90' : undefined;
      expect(page.at(-1)).toBe(`${FOOTER} | Pagina ${index + 1} di ${last}`);
      if (header) {
        expect(first).toBe(header);
      }
      return page.slice(header ? 1 : 0, -1);
    });
    const start = said.indexOf('Testo della Segnalazione') + 1;
    expect(said.slice(start, -2).join(' ')).toBe(words.join(' '));
    expect(said.slice(-2)).toEqual(['Note Interne', 'In fondo.']);
  });

  it('takes the longest text that the chat accepts, also as a single word, and stays small', async () => {
    const { pages, bytes } = await record({ segnalazione: 'è'.repeat(20_000), indirizzo: 'x'.repeat(300) });
    expect(pages.flat().join('').match(/è/g)).toHaveLength(20_000);
    expect(bytes.length).toBeLessThan(200_000);
  });
});

describe('the PDF of a clean copy', () => {
  it('says what it was given, bars and all, and names nobody beside', async () => {
    const copy = {
      facts: [
        { name: 'Ricevuta', value: '20/11/2026 23:30' },
        { name: 'Nome', value: '█████' },
      ],
      account: 'Mi chiamo █████ e █████, lavoro qui.',
      text: '',
    };
    const options = { productName: 'PelazzAI', font, printedAt: '2026-11-21T11:05:00Z' };
    const blob = drawCleanCopy(copy, options);
    const { pages, title } = await readPdf(new Uint8Array(await blob.arrayBuffer()));
    expect(title).toBe('Copia oscurata');
    expect(pages).toEqual([
      [
        'PelazzAI – Copia oscurata',
        '−−−−−: parte coperta da chi ha preparato la copia',
        'Ricevuta | 20/11/2026 23:30',
        'Nome | −−−−−',
        'Testo della Segnalazione',
        'Mi chiamo −−−−− e −−−−−, lavoro qui.',
        'Preparata dal pannello il 21/11/2026 12:05 | Pagina 1 di 1',
      ],
    ]);
  });
});
