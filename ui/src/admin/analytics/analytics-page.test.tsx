import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Analytics } from '../../shared/api/schema';
import { problem } from '../../shared/testing/server';
import { openPage, pass } from '../testing/panel-page';
import { noAnalytics, sampleAnalytics } from '../testing/sample-analytics';
import { AnalyticsPage } from './analytics-page';

let analytics: Analytics;
let failing: boolean;

beforeEach(() => {
  analytics = sampleAnalytics();
  failing = false;
});

afterEach(() => {
  localStorage.clear();
});

const open = () =>
  openPage(<AnalyticsPage />, () => (failing ? problem(500, 'errore-interno') : Response.json(analytics)));
const fact = (name: string) => screen.getByText(name).closest('div');
const card = (name: string) => within(screen.getByRole('region', { name }));

describe('the figures', () => {
  it('stand on four cards, each leading to what it counts', async () => {
    await open();
    const cards = within(screen.getByRole('list', { name: 'Riepilogo' })).getAllByRole('link');
    expect(cards.map((one) => one.textContent)).toEqual([
      'Totale Segnalazioni8+50% sul mese prima',
      'Nuove3Richiedono attenzione',
      'In Lavorazione2In corso di gestione',
      'Risolte2Completate con successo',
    ]);
    expect(cards.map((one) => one.getAttribute('href'))).toEqual([
      '/admin/reports?archived=true',
      '/admin/reports?stato=Nuova',
      '/admin/reports?stato=In+lavorazione',
      '/admin/reports?stato=Risolta',
    ]);
  });

  it('tell what came in, how it is spread, how long it took', async () => {
    await open();
    expect(fact('Oggi')).toHaveTextContent('1');
    expect(fact('Questa settimana')).toHaveTextContent('3');
    expect(fact('Questo mese')).toHaveTextContent('7');
    const bars = card('Per stato').getAllByRole('listitem');
    expect(bars.map((bar) => bar.textContent)).toEqual([
      'Nuova3 (37,5%)',
      'In lavorazione2 (25%)',
      'Risolta2 (25%)',
      'Archiviata1 (12,5%)',
    ]);
    const desks = card('Segnalazioni per reparto').getAllByRole('listitem');
    expect(desks.map((desk) => desk.textContent)).toEqual([
      expect.stringMatching(/^Sanità\/Ospedali3/),
      expect.stringMatching(/^Redazione Generale0/),
    ]);
    const halves = desks[0]?.querySelector('wbr');
    expect(halves?.previousSibling?.textContent).toBe('/');
    expect(halves?.nextSibling?.textContent).toBe('Ospedali');
    expect(fact('Tempo Medio di Risoluzione')).toHaveTextContent(
      '2,3 giorni lavorativiBasato sulle ultime 30 segnalazioni risolte',
    );
    expect(fact('Tasso di Risoluzione')).toHaveTextContent('37,5%3 su 8, comprese quelle poi archiviate');
    expect(fact('Tempo alla prima apertura')).toHaveTextContent(
      '4 oreBasato sulle ultime 5 segnalazioni aperte',
    );
    expect(fact('Tempo alla prima apertura, urgenti')).toHaveTextContent(
      '12 minutiBasato sull’unica segnalazione urgente aperta',
    );
    expect(fact('Risposte da leggere')).toHaveTextContent('2La prima aspetta dal 20/11/2026 23:30');
    expect(fact('Chi risponde alle domande')).toHaveTextContent(
      '60%12 risposte a 20 richieste del periodo, 15 lette',
    );
    expect(fact('Promesse mantenute: lette in tempo')).toHaveTextContent('75%3 su 4');
    expect(fact('Promesse mantenute: esito in tempo')).toHaveTextContent(
      '—Nessuna è ancora arrivata al suo giorno',
    );
    const ages = card('Aperte, per età').getAllByRole('listitem');
    expect(ages.map((age) => age.textContent).join(' ')).toMatch(
      /^Da meno di un giorno1 .*Da 90 giorni o più1$/,
    );
    expect(fact('Chi torna')).toHaveTextContent('40%2 codici usati su 5, entro 14 giorni dall’arrivo');
  });

  it('list the latest reports, linked', async () => {
    await open();
    const recent = card('Attività Recente');
    expect(recent.getByRole('link', { name: 'Maria Rossi' })).toHaveAttribute(
      'href',
      '/admin/reports/0b54a6c2-6d1e-4f0e-9f4e-6d2f1c3b7a90',
    );
    expect(recent.getByRole('listitem')).toHaveTextContent('Maria Rossi#0b54a6c2 · 20/11/2026 23:30Nuova');
  });

  it('are drawn by day, and told in a table as well', async () => {
    await open();
    const chart = screen.getByRole('img', { name: /al sab 21 novembre 2026: 3 in tutto, al massimo 2/ });
    expect(chart.querySelectorAll('title')).toHaveLength(30);
    const rows = card('Segnalazioni al giorno').getAllByRole('row', { hidden: true });
    expect(rows).toHaveLength(31);
    expect(rows[1]).toHaveTextContent('sab 21 novembre 20261');
    expect(rows[30]).toHaveTextContent('ven 23 ottobre 20260');
    const hours = screen.getByRole('img', {
      name: /nelle ultime 48: 1 in tutto, al massimo 1 \(21\/11\/2026 10:00\)/,
    });
    expect(hours.querySelectorAll('title')).toHaveLength(48);
    const sheet = card('Ultime 48 ore').getByRole('link', { name: 'CSV, ultime 48 ore' });
    expect(sheet.getAttribute('href')).toMatch(/analytics\.csv\?from=2026-10-23&to=2026-11-21&figure=ore$/);
  });

  it('are of the period that was chosen last, and ask for nothing that cannot be', async () => {
    const page = await open();
    const asked = () => page.requests.filter(({ path }) => path.startsWith('/analytics')).at(-1)?.path;
    expect(asked()).toBe('/analytics');
    fireEvent.change(screen.getByLabelText('Periodo'), { target: { value: 'dates' } });
    fireEvent.change(screen.getByLabelText('Dal'), { target: { value: '2026-11-02' } });
    await pass(0);
    expect(asked()).toBe('/analytics?from=2026-11-02');
    fireEvent.change(screen.getByLabelText('Al'), { target: { value: '2026-11-01' } });
    await pass(0);
    expect(screen.getByText('Il primo giorno viene dopo l’ultimo.')).toBeInTheDocument();
    expect(asked()).toBe('/analytics?from=2026-11-02');
    cleanup();
    await open();
    expect(screen.getByLabelText('Periodo')).toHaveValue('dates');
  });

  it('tell where conversations stop, and why', async () => {
    await open();
    const stops = card('Dove si fermano le conversazioni');
    expect(stops.getByText('Lasciate a metà').nextSibling).toHaveTextContent('3');
    const questions = stops.getAllByRole('listitem');
    expect(questions[0]).toHaveTextContent('Età8 su 10 hanno risposto, 1 si ferma qui');
    expect(questions[0]).toHaveTextContent('Risposte rifiutate: non valida: 4');
    expect(questions[1]).not.toHaveTextContent(/ferma|rifiutate/);
    expect(questions[2]).toHaveTextContent('troppo breve: 1, con parole vietate: 1.200');
  });

  it('of an empty archive are dashes and words, never inventions', async () => {
    analytics = noAnalytics();
    await open();
    expect(screen.getByRole('link', { name: /^Totale Segnalazioni/ })).toHaveTextContent(
      'Totale Segnalazioni0Nessuna da due mesi',
    );
    expect(fact('Tempo Medio di Risoluzione')).toHaveTextContent('—Nessuna segnalazione risolta finora');
    expect(fact('Tasso di Risoluzione')).toHaveTextContent('—Nessuna segnalazione finora');
    expect(fact('Tempo alla prima apertura')).toHaveTextContent('—Nessuna segnalazione aperta nel periodo');
    expect(fact('Chi risponde alle domande')).toHaveTextContent('—Nessuna domanda nel periodo');
    expect(fact('Chi torna')).toHaveTextContent('—Nessun codice ha ancora 14 giorni');
    expect(card('Per stato').getAllByText('(—)')).toHaveLength(4);
    expect(card('Attività Recente').getByText(/Nessuna segnalazione trovata/)).toBeInTheDocument();
    expect(screen.getByText('Nessuna conversazione iniziata in questi giorni.')).toBeInTheDocument();
  });

  it('follow the server by themselves, and stay on screen when it falls silent', async () => {
    await open();
    analytics = sampleAnalytics({ received: { today: 2, week: 4, month: 8 } });
    await pass(30_100);
    expect(fact('Oggi')).toHaveTextContent('2');
    failing = true;
    await pass(30_100);
    expect(screen.getByText(/Aggiornamento automatico interrotto/)).toBeInTheDocument();
    expect(fact('Oggi')).toHaveTextContent('2');
  });

  it('that cannot be had are said to be missing, with a way to try again', async () => {
    failing = true;
    await open();
    expect(screen.getByRole('alert')).toHaveTextContent('Non è stato possibile calcolare le statistiche');
    failing = false;
    screen.getByRole('button', { name: 'Riprova' }).click();
    await pass(0);
    expect(fact('Oggi')).toHaveTextContent('1');
  });
});
