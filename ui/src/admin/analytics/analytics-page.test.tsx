import { screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Analytics } from '../../shared/api/schema';
import { openPage, pass, problem } from '../testing/panel-page';
import { noAnalytics, sampleAnalytics } from '../testing/sample-analytics';
import { AnalyticsPage } from './analytics-page';

let analytics: Analytics;
let failing: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  analytics = sampleAnalytics();
  failing = false;
});

afterEach(() => {
  vi.useRealTimers();
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
      'Totale Segnalazioni8+50% vs mese scorso6 questo mese, 4 nello stesso periodo del mese scorso',
      'Nuove3Richiedono attenzione',
      'In Lavorazione2In corso di gestione',
      'Risolte2Completate con successo',
    ]);
    expect(cards.map((one) => one.getAttribute('href'))).toEqual([
      '/admin/reports',
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
    const bars = card('Distribuzione per stato').getAllByRole('listitem');
    expect(bars.map((bar) => bar.textContent)).toEqual([
      'Nuova3 (37,5%)',
      'In lavorazione2 (25%)',
      'Risolta2 (25%)',
      'Archiviata1 (12,5%)',
    ]);
    const desks = card('Segnalazioni per reparto').getAllByRole('listitem');
    expect(desks.map((desk) => desk.textContent)).toEqual([
      'Sanità/Ospedali5 (62,5%)',
      'Redazione Generale3 (37,5%)',
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
    const chart = screen.getByRole('img', { name: /negli ultimi 90 giorni: 3 in tutto, al massimo 2/ });
    expect(chart.querySelectorAll('title')).toHaveLength(90);
    const rows = card('Segnalazioni al giorno').getAllByRole('row', { hidden: true });
    expect(rows).toHaveLength(91);
    expect(rows[1]).toHaveTextContent('sab 21 novembre 20261');
    expect(rows[90]).toHaveTextContent('lun 24 agosto 20260');
  });

  it('tell where conversations stop, and why', async () => {
    await open();
    const stops = card('Dove si fermano le conversazioni');
    expect(stops.getByText('Lasciate a metà').nextSibling).toHaveTextContent('3');
    const questions = stops.getAllByRole('listitem');
    expect(questions[0]).toHaveTextContent('Età8 su 10 hanno risposto, 1 fermate qui');
    expect(questions[0]).toHaveTextContent('Risposte rifiutate: non valida: 4');
    expect(questions[1]).not.toHaveTextContent(/fermate|rifiutate/);
    expect(questions[2]).toHaveTextContent('troppo breve: 1, con parole vietate: 1.200');
  });

  it('of an empty archive are dashes and words, never inventions', async () => {
    analytics = noAnalytics();
    await open();
    expect(screen.getByRole('link', { name: /^Totale Segnalazioni/ })).toHaveTextContent('0— vs mese scorso');
    expect(fact('Tempo Medio di Risoluzione')).toHaveTextContent('—Nessuna segnalazione risolta finora');
    expect(fact('Tasso di Risoluzione')).toHaveTextContent('—Nessuna segnalazione finora');
    expect(fact('Tempo alla prima apertura')).toHaveTextContent('—Nessuna segnalazione aperta finora');
    expect(fact('Chi torna')).toHaveTextContent('—Nessun codice ha ancora 14 giorni');
    expect(card('Distribuzione per stato').getAllByText('(—)')).toHaveLength(4);
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
