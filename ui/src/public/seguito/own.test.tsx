import { act, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Receipt } from '../../shared/api/schema';
import type { Boot } from '../../shared/lib/boot';
import { PLAIN } from '../../shared/testing/plain-message';
import { arrivals, lineDown, noContent, problem, serve } from '../../shared/testing/server';
import { sampleReceipt } from '../testing/sample-receipt';
import { Follow } from './follow';

const boot = {
  branding: { productName: 'Prova', organizationName: 'Redazione', logoUrl: null },
  quickExitUrl: 'https://esempio.it/',
  receipts: true,
  attachments: null,
} as unknown as Boot;

const photo = { n: 1, name: 'foto.jpg', type: 'image/jpeg', size: 2000, at: '2026-03-10T09:00:00Z' };
const paper = { ...photo, n: 2, name: 'atto.pdf', type: 'application/pdf' };

let receipt: Receipt;
/** How the server answers these calls instead of with the report. */
let answers: Record<string, () => Response>;
let sent: string[];
let saved: [string, string][];

const refused = (status: number, detail: string) => () => problem(status, 'x', { detail });

beforeEach(() => {
  receipt = sampleReceipt();
  answers = {};
  sent = [];
  saved = [];
  window.sessionStorage.clear();
  vi.useFakeTimers({ shouldAdvanceTime: true, now: new Date('2026-03-12T09:00:00Z') });
  serve(({ method, path, body }) => {
    const call = `${method} ${path}`;
    sent.push(body === undefined ? call : `${call} ${JSON.stringify(body)}`);
    return answers[call]?.() ?? Response.json(receipt);
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push([this.download, new URL(this.href).pathname]);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const pass = (ms: number) =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
    await arrivals();
  });
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const press = async (name: string | RegExp) => {
  act(() => button(name).focus());
  fireEvent.click(button(name));
  await pass(10);
};

async function enter(changes: Partial<Receipt> = {}) {
  receipt = sampleReceipt(changes);
  render(<Follow boot={boot} />);
  fireEvent.change(screen.getByLabelText('Il tuo codice'), { target: { value: 'ABCDE' } });
  await press('Apri');
}

it.each<[string, Partial<Receipt>, string, string[]]>([
  ['Ricevuta', {}, 'È arrivata alla redazione.', ['10/03/2026', '', '', '']],
  [
    'Letta',
    { opened: true, openedAt: '2026-03-11T09:00:00Z' },
    'È arrivata, e qualcuno l’ha letta.',
    ['10/03/2026', '11/03/2026', '', ''],
  ],
  [
    'In lavorazione',
    { state: 'In lavorazione', workingAt: '2026-03-12T08:00:00Z' },
    'La redazione ci sta lavorando.',
    ['10/03/2026', '', '12/03/2026', ''],
  ],
  [
    'Conclusa',
    { state: 'Conclusa', concludedAt: '2026-03-12T08:00:00Z' },
    'La redazione ha concluso il suo lavoro.',
    ['10/03/2026', '', '', '12/03/2026'],
  ],
  // It was worked on before, and is new again.
  [
    'Ricevuta',
    { workingAt: '2026-03-11T09:00:00Z' },
    'È arrivata alla redazione.',
    ['10/03/2026', '', '', ''],
  ],
])('a report that is %s stands at that step', async (step, changes, heading, dates) => {
  await enter(changes);
  expect(screen.getByRole('heading', { level: 2, name: heading })).toBeInTheDocument();
  const steps = within(screen.getByRole('list', { name: 'A che punto è' })).getAllByRole('listitem');
  expect(
    steps.filter((one) => one.hasAttribute('aria-current')).map(({ textContent }) => textContent),
  ).toEqual([expect.stringMatching(new RegExp(`^${step}`))]);
  expect(steps.map((one) => one.querySelector('time')?.textContent ?? '')).toEqual(dates);
});

const DUE = { firstDue: '2026-03-11T22:59:59Z', outcomeDue: '2026-06-08T21:59:59Z' };

it.each<[Partial<Receipt>, RegExp[], RegExp[]]>([
  [{}, [], [/promesso|entro/]],
  [
    { firstDue: '2026-03-17T22:59:59Z', outcomeDue: DUE.outcomeDue },
    [/^Ti leggiamo entro martedì 17 marzo\.$/, /^Ti diremo com’è andata entro lunedì 8 giugno\.$/],
    [/ritardo/],
  ],
  [DUE, [/^Ti leggiamo entro mercoledì 11 marzo: siamo in ritardo\.$/], []],
  [
    { ...DUE, firstKept: '2026-03-11T10:00:00Z', opened: true },
    [/^Ti abbiamo letto in tempo: l’avevamo promesso entro mercoledì 11 marzo\.$/],
    [/ritardo/],
  ],
  [{ ...DUE, firstKept: '2026-03-12T08:00:00Z', opened: true }, [/^Ti abbiamo letto in ritardo/], []],
  [{ ...DUE, firstKept: '2026-03-11T10:00:00Z' }, [/^Ti abbiamo scritto in tempo/], [/letto/]],
  [
    { ...DUE, firstKept: DUE.firstDue, state: 'Conclusa', concludedAt: '2026-03-12T08:00:00Z' },
    [/^Abbiamo concluso il lavoro in tempo: l’avevamo promesso entro lunedì 8 giugno\.$/],
    [/ritardo/],
  ],
])('says what was promised and how it was kept (%#)', async (changes, said, silent) => {
  await enter(changes);
  const section = screen.getByRole('list', { name: 'A che punto è' }).closest('section');
  const texts = [...(section?.querySelectorAll('p') ?? [])].map(({ textContent }) => textContent ?? '');
  for (const text of said) {
    expect(
      texts.some((one) => text.test(one)),
      `${text} in ${texts.join('|')}`,
    ).toBe(true);
  }
  for (const text of silent) {
    expect(texts.join('|')).not.toMatch(text);
  }
});

it('opens a picture in the page, and another file as a download', async () => {
  await enter({ attachments: [photo, paper] });
  answers['GET /receipts/attachments/1'] = noContent;
  answers['GET /receipts/attachments/2'] = noContent;
  await press('Apri foto.jpg');
  expect(screen.getByRole('img', { name: 'foto.jpg' })).toHaveAttribute(
    'src',
    '/paibeta/api/receipts/attachments/1',
  );
  await press('Chiudi foto.jpg');
  expect(screen.queryByRole('img', { name: 'foto.jpg' })).toBeNull();
  await press('Apri atto.pdf');
  expect(saved).toEqual([['', '/paibeta/api/receipts/attachments/2']]);
});

it('says why a file does not open', async () => {
  await enter({ attachments: [photo] });
  answers['GET /receipts/attachments/1'] = refused(500, 'Il file è danneggiato.');
  await press('Apri foto.jpg');
  expect(screen.getByText('Il file è danneggiato.')).toBeInTheDocument();
  expect(screen.queryByRole('img', { name: 'foto.jpg' })).toBeNull();
});

it('takes a file back, once it is asked again', async () => {
  await enter({ attachments: [photo, paper] });
  await press('Ritira foto.jpg');
  await press('Lascialo');
  expect(screen.queryByText(/Lo ritiri\?/)).toBeNull();
  await press('Ritira foto.jpg');
  expect(sent.filter((call) => call.startsWith('DELETE'))).toEqual([]);
  receipt = { ...receipt, attachments: [paper] };
  await press('Ritira il file');
  expect(sent.filter((call) => call.startsWith('DELETE'))).toEqual(['DELETE /receipts/attachments/1']);
  expect(screen.queryByText('foto.jpg')).toBeNull();
  await pass(0);
  expect(screen.getByRole('region', { name: 'I tuoi file' })).toHaveFocus();
});

it('asks that all be withdrawn, with a reason or without, and says how that stands', async () => {
  await enter();
  await press('Chiedi di ritirare tutto');
  await press('Annulla');
  await press('Chiedi di ritirare tutto');
  fireEvent.change(screen.getByLabelText('Perché? (facoltativo)'), { target: { value: 'Ho paura.' } });
  const withdrawal = { at: '2026-03-12T09:00:00Z', due: '2026-03-19T09:00:00Z' };
  const reason = { ...PLAIN, from: 'segnalante', text: 'Ho paura.', at: withdrawal.at } as const;
  receipt = { ...receipt, withdrawal, messages: [reason] };
  await press('Invia la richiesta');
  await pass(0);
  expect(screen.getByRole('region', { name: 'Ritirare tutto' })).toHaveFocus();
  expect(sent).toContain('POST /receipts/withdrawal {"reason":"Ho paura."}');
  expect(
    screen.getByText(/Hai chiesto di ritirare tutto il 12\/03\/2026\. Entro il 19\/03\/2026/),
  ).toBeInTheDocument();
  expect(screen.getByText(/chiedendo di ritirare tutto/)).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Chiedi di ritirare tutto' })).toBeNull();
  receipt = { ...receipt, withdrawalAnswered: '2026-03-14T09:00:00Z' };
  await pass(15_100);
  expect(screen.getByText(/La redazione ti ha risposto il 14\/03\/2026/)).toBeInTheDocument();
  expect(button('Chiedi di ritirare tutto')).toBeInTheDocument();
});

const own = () =>
  Response.json({
    ...receipt,
    nome: 'Anna',
    cognome: 'Neri',
    eta: 40,
    telefono: '',
    email: '',
    indirizzo: '',
    segnalazione: 'Il racconto.',
    privacyVersion: 'v1',
  });

it('hands over ones own data as a file and on paper, and keeps neither in the page', async () => {
  const print = vi.fn();
  vi.stubGlobal('print', print);
  URL.createObjectURL = () => 'blob:http://localhost/x';
  URL.revokeObjectURL = () => undefined;
  await enter();
  answers['GET /receipts/data'] = own;
  await press('Scarica i tuoi dati');
  expect(saved.map(([name]) => name)).toEqual(['i-miei-dati.json']);
  expect(screen.queryByText('Il racconto.')).toBeNull();
  await press('Stampa');
  expect(print).toHaveBeenCalledOnce();
  expect(screen.getByText('Il racconto.')).toBeInTheDocument();
  expect(screen.queryByText('Telefono')).toBeNull();
  act(() => void window.dispatchEvent(new Event('afterprint')));
  expect(screen.queryByText('Il racconto.')).toBeNull();
});

it('says why the data cannot be opened now', async () => {
  await enter();
  answers['GET /receipts/data'] = refused(503, 'Riprova in orario di lavoro.');
  await press('Stampa');
  expect(screen.getByText('Riprova in orario di lavoro.')).toBeInTheDocument();
});

it('counts the minutes that are left, and speaks of them near the end alone', async () => {
  await enter();
  const spoken = () => screen.getByRole('log', { name: 'Novità' }).textContent;
  expect(screen.getByText(/30 min$/)).toBeInTheDocument();
  receipt = { ...receipt, secondsLeft: 6 * 60 };
  await pass(15_100);
  expect(screen.getByText(/6 min$/)).toBeInTheDocument();
  expect(spoken()).toBe('');
  // No answer comes any more.
  serve(lineDown);
  let heard = '';
  for (let second = 0; second < 150; second += 1) {
    await pass(500);
    heard += heard === spoken() ? '' : spoken();
  }
  expect(screen.getByText(/5 min$/)).toBeInTheDocument();
  expect(heard).toBe('La visita finisce tra 5 minuti. Se scrivi un messaggio, continua.');
});

it('has two ways out with two names', async () => {
  await enter();
  expect(button('Esci')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Esci in fretta' })).toHaveAttribute('href', 'https://esempio.it/');
  await press('Esci');
  expect(sent.at(-1)).toBe('DELETE /receipts');
  expect(screen.queryByRole('button', { name: 'Esci' })).toBeNull();
  expect(screen.getByRole('link', { name: 'Esci in fretta' })).toBeInTheDocument();
});
