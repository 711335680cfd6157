import { fireEvent, screen, within } from '@testing-library/react';
import { Route, Routes } from 'react-router-dom';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CalloutDetail } from '../../shared/api/schema';
import { problem, type Request } from '../../shared/testing/server';
import { paths } from '../common/paths';
import type { Who } from '../common/session/session-store';
import { KeyboardProvider } from '../keyboard/keyboard-context';
import { openPage, pass, type } from '../testing/panel-page';
import { sampleWho } from '../testing/samples';
import { AnswersPage } from './answers-page';
import { CalloutPage } from './callout-page';
import { withQuestion } from './draft';

const ID = '7f0c1c50-7f6e-4a57-9a35-1c2f4f0b8f11';
let stored: CalloutDetail;

beforeEach(() => {
  const questions = (['choice', 'text'] as const).reduce(withQuestion, []).map((question, at) => ({
    ...question,
    key: `d${at + 1}`,
    options: question.options.map((option, n) => ({ ...option, key: `r${n + 1}` })),
  }));
  stored = {
    id: ID,
    slug: 'bozza-1234abcd',
    title: '',
    intro: '',
    thanks: '',
    closedText: '',
    opensAt: null,
    closesAt: null,
    department: 'lavoro',
    labels: [],
    attachments: true,
    personal: { nome: 'off', cognome: 'off', telefono: 'off', email: 'off', indirizzo: 'off' },
    account: 'off',
    questions,
    state: 'bozza',
    version: 1,
    revision: 1,
    started: 4,
    received: 1,
    days: [],
    problems: { title: 'Serve un titolo.', 'questions.0.options.1.text': 'Scrivi la scelta.' },
  };
});

function answer({ method, path, body }: Request): Response {
  if (path.startsWith('/labels')) {
    return Response.json({ data: [] });
  }
  if (method === 'PUT') {
    stored = { ...stored, ...(body as object), revision: stored.revision + 1 };
  }
  if (path.endsWith('/open')) {
    stored = { ...stored, state: 'aperta' };
  }
  const none = { data: [], questions: [], counts: {}, nextCursor: null };
  return Response.json(path.includes('/answers') ? none : stored);
}

const routes = (
  <KeyboardProvider>
    <Routes>
      <Route path="/admin/callouts/:id" element={<CalloutPage />} />
      <Route path="/admin/callouts/:id/answers" element={<AnswersPage />} />
    </Routes>
  </KeyboardProvider>
);
const open = (who: Who | null = null, answers = answer, address = paths.callout(ID)) =>
  openPage(routes, answers, { who, address });
const field = (name: string) => screen.getByLabelText(name);
/** The closed question at a place. */
const row = (place: number) =>
  screen.getByRole('button', { name: new RegExp(`^Domanda ${place}: `), expanded: false });

describe('the editor of a callout', () => {
  it('says calmly what is missing, at the fields only once it was to be opened, and leads there', async () => {
    await open(null, (request) =>
      request.path.endsWith('/open')
        ? problem(409, 'conflitto', { errors: stored.problems })
        : answer(request),
    );
    expect(row(1)).toHaveTextContent('scelta 2: Scrivi la scelta.');
    fireEvent.click(screen.getByRole('button', { name: 'Domanda 1: scelta 2: Scrivi la scelta.' }));
    expect(field('Scelta 2')).toHaveFocus();
    expect(field('Scelta 2')).not.toHaveAttribute('aria-invalid');
    fireEvent.click(screen.getByRole('button', { name: 'Apri' }));
    await pass(10);
    expect(field('Titolo')).toHaveFocus();
    expect(field('Titolo')).toHaveAccessibleDescription(/Serve un titolo\.$/);
    expect(field('Scelta 2')).toHaveAccessibleDescription('Scrivi la scelta.');
    expect(screen.queryByRole('alert')).toBeNull();
    type('Scelta 2', 'No');
    expect(field('Scelta 2')).not.toHaveAttribute('aria-invalid');
    expect(screen.queryByRole('button', { name: /Scrivi la scelta/ })).toBeNull();
    expect(screen.getByRole('button', { name: 'Serve un titolo.' })).toBeVisible();
  });

  it('has one question open at a time', async () => {
    await open();
    expect(screen.queryByLabelText('Domanda 1')).toBeNull();
    fireEvent.click(row(1));
    expect(field('Domanda 1')).toHaveFocus();
    fireEvent.click(row(2));
    expect(screen.queryByLabelText('Domanda 1')).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Chiudi la domanda 2' }));
    expect(screen.queryByLabelText('Domanda 2')).toBeNull();
  });

  it('makes a callout when it is saved, not before', async () => {
    const page = await open(null, answer, paths.callout('nuova'));
    expect(field('Titolo')).toHaveFocus();
    expect(page.changes()).toEqual([]);
    type('Titolo', 'Affitti');
    fireEvent.click(screen.getByRole('button', { name: 'Salva Modifiche' }));
    await pass(10);
    expect(page.changes().map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /callouts']);
    expect(page.changes()[0]?.body).toMatchObject({ title: 'Affitti', slug: 'affitti' });
    expect(screen.getByRole('link', { name: 'Risposte' })).toBeVisible();
  });

  it('saves what was typed before it opens it', async () => {
    const page = await open();
    type('Titolo', 'Affitti in nero');
    expect(screen.getByRole('textbox', { name: 'Indirizzo' })).toHaveValue('affitti-in-nero');
    fireEvent.click(row(1));
    type('Scelta 1', 'Sì');
    fireEvent.click(screen.getByRole('button', { name: 'Apri' }));
    await pass(10);
    expect(page.changes().map(({ method, path }) => `${method} ${path}`)).toEqual([
      expect.stringMatching(/^PUT \/callouts\//),
      expect.stringMatching(/^POST \/callouts\/.*\/open$/),
    ]);
    expect(page.changes()[0]?.body).toMatchObject({
      slug: 'affitti-in-nero',
      department: 'lavoro',
      questions: [{ key: 'd1', options: [{ text: 'Sì' }, { text: '' }] }, { key: 'd2' }],
    });
    expect(page.changes()[0]?.body).not.toHaveProperty('revision');
    expect(screen.getByRole('button', { name: 'Chiudi' })).toBeVisible();
    expect(screen.queryByRole('textbox', { name: 'Indirizzo' })).toBeNull();
    expect(screen.queryByText('Modifiche non salvate')).toBeNull();
  });

  it('adds, moves, copies and takes away questions, and keeps the focus at them', async () => {
    await open();
    fireEvent.keyDown(document.body, { key: 'q' });
    expect(field('Domanda 3')).toHaveFocus();
    type('Domanda 3', 'Hai pagato?');
    fireEvent.change(field('Risposta'), { target: { value: 'yes_no' } });
    fireEvent.keyDown(field('Domanda 3'), { key: 'ArrowUp', altKey: true });
    expect(field('Domanda 2')).toHaveFocus();
    expect(field('Domanda 2')).toHaveValue('Hai pagato?');
    const routes = within(field('No, poi')).getAllByRole('option');
    expect(routes.map((option) => option.textContent)).toEqual([
      'La domanda che segue',
      'Vai alla 3. ',
      'La fine, con un testo',
    ]);
    fireEvent.change(field('No, poi'), { target: { value: 'end:' } });
    type('No, testo finale: non resta nulla', 'Grazie lo stesso.');
    fireEvent.click(screen.getByRole('button', { name: 'Copia la domanda 2' }));
    expect(field('Domanda 3')).toHaveFocus();
    fireEvent.click(screen.getByRole('button', { name: 'Elimina la domanda 3' }));
    fireEvent.click(row(1));
    fireEvent.click(screen.getByRole('button', { name: 'Elimina la domanda 1' }));
    expect(within(screen.getByRole('list', { name: 'Domande' })).getAllByRole('listitem')).toHaveLength(2);
    fireEvent.click(screen.getByRole('button', { name: 'Salva Modifiche' }));
    await pass(10);
    expect(stored.questions).toMatchObject([
      {
        kind: 'yes_no',
        options: [
          { key: 'si', next: null },
          { key: 'no', next: 'end:Grazie lo stesso.' },
        ],
      },
      { key: 'd2' },
    ]);
  });

  it('brings a question back that was taken away', async () => {
    await open();
    fireEvent.click(row(1));
    fireEvent.click(screen.getByRole('button', { name: 'Elimina la domanda 1' }));
    fireEvent.click(screen.getByRole('button', { name: /^Annulla/ }));
    await pass(10);
    expect(row(2)).toBeVisible();
    expect(screen.queryByText('Modifiche non salvate')).toBeNull();
  });

  it('goes from the question to its choices, and from one to the next, by Enter', async () => {
    await open();
    fireEvent.click(row(1));
    const enter = (name: string) => fireEvent.keyDown(field(name), { key: 'Enter' });
    enter('Domanda 1');
    expect(field('Scelta 1')).toHaveFocus();
    type('Scelta 1', 'Sì');
    enter('Scelta 1');
    expect(field('Scelta 2')).toHaveFocus();
    type('Scelta 2', 'No');
    enter('Scelta 2');
    expect(field('Scelta 3')).toHaveFocus();
  });

  /** A server on which another person saves just before the first save. */
  const overtakenBy = (change: (before: CalloutDetail) => Partial<CalloutDetail>) => {
    let overtaken = true;
    return (request: Request) => {
      if (request.method === 'PUT' && overtaken) {
        overtaken = false;
        stored = { ...stored, ...change(stored), revision: 7 };
        return problem(412, 'versione-superata');
      }
      return answer(request);
    };
  };
  const save = async () => {
    fireEvent.click(screen.getByRole('button', { name: 'Salva Modifiche' }));
    await pass(20);
  };
  const asked = (text: string, at: number) => (before: CalloutDetail) => ({
    questions: before.questions.map((question, place) => (place === at ? { ...question, text } : question)),
  });

  it('takes over what another person has saved meanwhile elsewhere', async () => {
    await open(
      null,
      overtakenBy((before) => ({ intro: 'Di Anna', ...asked('Di Anna?', 1)(before) })),
    );
    type('Titolo', 'Mio');
    fireEvent.click(row(1));
    type('Domanda 1', 'Mia?');
    await save();
    expect(screen.getByRole('alert')).toHaveTextContent('Inchiesta non salvata');
    expect(field('Titolo')).toHaveValue('Mio');
    expect(field('Introduzione')).toHaveValue('Di Anna');
    expect(row(2)).toHaveTextContent('Di Anna?');
    await save();
    expect(stored).toMatchObject({
      title: 'Mio',
      intro: 'Di Anna',
      questions: [{ text: 'Mia?' }, { text: 'Di Anna?' }],
      revision: 8,
    });
  });

  it.each([
    ['Mantieni le mie modifiche', 'Mia?'],
    ['Usa la versione salvata', 'Di Anna?'],
  ])('saves nothing over what both have changed before one has chosen: %s', async (choice, wanted) => {
    await open(null, overtakenBy(asked('Di Anna?', 0)));
    fireEvent.click(row(1));
    type('Domanda 1', 'Mia?');
    type('Titolo', 'Mio');
    await save();
    const panel = screen.getByRole('region', { name: 'Un’altra persona ha cambiato la domanda 1' });
    expect(panel).toHaveTextContent(/Di Anna\?.*Mia\?/);
    await save();
    expect(stored).toMatchObject({ revision: 7, title: '' });
    fireEvent.click(screen.getByRole('button', { name: choice }));
    await pass(0);
    expect(field('Domanda 1')).toHaveFocus();
    expect(field('Domanda 1')).toHaveValue(wanted);
    await save();
    expect(stored).toMatchObject({ revision: 8, title: 'Mio', questions: [{ text: wanted }, {}] });
  });

  it('says where what is tried cannot be kept', async () => {
    const message = 'Al massimo 200 caratteri: ora sono 300.';
    await open(null, (request) =>
      request.path === '/prompts/try'
        ? problem(422, 'dati-non-validi', { errors: { 'questions.0.options.0.text': message } })
        : answer(request),
    );
    fireEvent.click(row(1));
    type('Scelta 1', 'a'.repeat(300));
    fireEvent.click(screen.getByRole('button', { name: 'Prova' }));
    await pass(10);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(field('Scelta 1')).toHaveAccessibleDescription(message);
    expect(field('Scelta 1')).toHaveFocus();
    expect(screen.getByRole('button', { name: `Domanda 1: scelta 1: ${message}` })).toBeVisible();
    type('Scelta 1', 'Sì');
    expect(field('Scelta 1')).not.toHaveAttribute('aria-invalid');
  });

  it('is not there for who may not edit it', async () => {
    await open(sampleWho({ role: 'lettore' }));
    expect(screen.queryByLabelText('Titolo')).toBeNull();
    expect(screen.queryByRole('link', { name: 'Domande' })).toBeNull();
    expect(screen.getByRole('link', { name: 'Risposte' })).toBeVisible();
  });
});

describe('the answers of a callout', () => {
  it('stand in a table and as bars, by what the options say', async () => {
    const [choice] = stored.questions;
    Object.assign(choice ?? {}, { text: 'Che cosa?' });
    Object.assign(choice?.options[0] ?? {}, { text: 'Letto' });
    const rows = ['Letto', 'Stanza'].map((said, at) => ({
      id: `0b54a6c2-6d1e-4f0e-9f4e-6d2f1c3b7a9${at}`,
      data_creazione: `2026-11-2${at}T10:00:00Z`,
      stato: 'Nuova',
      answers: { d1: said, d0: 'Di una volta' },
    }));
    const gone = { ...choice, key: 'd0', kind: 'text', text: 'Tolta' };
    const page = {
      data: rows,
      questions: [...stored.questions, gone],
      counts: { d1: [{ option: 'r1', n: 1 }] },
      nextCursor: null,
    };
    const answers = ({ path }: Request) => Response.json(path.includes('/answers') ? page : stored);
    await open(null, answers, paths.answers(ID));
    const told = screen.getByRole('region', { name: 'Che cosa?' });
    expect(told).toHaveTextContent('Letto1');
    const lines = () =>
      within(screen.getByRole('region', { name: 'Tabella delle risposte' }))
        .getAllByRole('row')
        .slice(1);
    const cells = () => within(lines()[0] as HTMLElement).getAllByRole('cell');
    expect(screen.getByRole('columnheader', { name: 'Tolta' })).toBeVisible();
    expect(cells().map((cell) => cell.textContent)).toEqual(['Stanza', '', 'Di una volta']);
    expect(lines().map((line) => within(line).getAllByRole('cell')[0]?.textContent)).toEqual([
      'Stanza',
      'Letto',
    ]);
    fireEvent.click(screen.getByRole('button', { name: 'Arrivata' }));
    expect(lines()[0]).toHaveTextContent('Letto');
    type('Filtra', 'stanza');
    await pass(10);
    expect(lines()).toHaveLength(1);
    expect(screen.getByText('1 risposta')).toBeVisible();
  });
});
