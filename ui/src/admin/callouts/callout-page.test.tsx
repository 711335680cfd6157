import { fireEvent, screen, within } from '@testing-library/react';
import { Route, Routes } from 'react-router-dom';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CalloutDetail } from '../../shared/api/schema';
import { problem, type Request } from '../../shared/testing/server';
import { paths } from '../common/paths';
import type { Who } from '../common/session/session-store';
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
    problems: { title: 'Serve un titolo.', 'questions.0.options.1.text': 'Scrivi la risposta.' },
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
  <Routes>
    <Route path="/admin/callouts/:id" element={<CalloutPage />} />
    <Route path="/admin/callouts/:id/answers" element={<AnswersPage />} />
  </Routes>
);
const open = (who: Who | null = null, answers = answer, address = paths.callout(ID)) =>
  openPage(routes, answers, { who, address });
const field = (name: string) => screen.getByLabelText(name);

describe('the editor of a callout', () => {
  it('says what is wrong where, until it is changed, and leads there', async () => {
    await open();
    expect(field('Risposta 2')).toHaveAccessibleDescription('Scrivi la risposta.');
    fireEvent.click(screen.getByRole('button', { name: 'Domanda 1, risposta 2: Scrivi la risposta.' }));
    expect(field('Risposta 2')).toHaveFocus();
    type('Risposta 2', 'No');
    expect(field('Risposta 2')).not.toHaveAttribute('aria-invalid');
    expect(screen.queryByRole('button', { name: /risposta 2: Scrivi/ })).toBeNull();
    expect(screen.getByRole('button', { name: 'Serve un titolo.' })).toBeVisible();
  });

  it('saves what was typed before it opens it', async () => {
    const page = await open();
    type('Titolo', 'Affitti in nero');
    expect(field('Indirizzo')).toHaveValue('affitti-in-nero');
    type('Risposta 1', 'Sì');
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
    expect(screen.queryByLabelText('Indirizzo')).toBeNull();
    expect(screen.queryByText('Modifiche non salvate')).toBeNull();
  });

  it('adds, moves and takes away questions, and keeps the focus at them', async () => {
    await open();
    fireEvent.click(screen.getByRole('button', { name: 'Sì o no' }));
    const heads = () => screen.getAllByRole('heading', { level: 3 });
    expect(heads()).toHaveLength(3);
    const asked = screen.getAllByLabelText('Domanda');
    expect(asked[2]).toHaveFocus();
    fireEvent.change(asked[2] as HTMLElement, { target: { value: 'Hai pagato?' } });
    fireEvent.click(screen.getByRole('button', { name: 'Sposta su la domanda 3' }));
    expect(screen.getByRole('button', { name: 'Sposta su la domanda 2' })).toHaveFocus();
    expect(screen.getAllByLabelText('Domanda')[1]).toHaveValue('Hai pagato?');
    const routes = within(field('No, poi')).getAllByRole('option');
    expect(routes.map((option) => option.textContent)).toEqual([
      'La domanda che segue',
      'Vai alla 3. ',
      'La fine, con un testo',
    ]);
    fireEvent.change(field('No, poi'), { target: { value: 'end:' } });
    type('No, testo finale: non resta nulla', 'Grazie lo stesso.');
    fireEvent.click(screen.getByRole('button', { name: 'Togli la domanda 1' }));
    expect(heads()).toHaveLength(2);
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

  it('goes from the question to its answers, and from one to the next, by Enter', async () => {
    await open();
    const enter = (name: string, at = 0) =>
      fireEvent.keyDown(screen.getAllByLabelText(name)[at] as HTMLElement, { key: 'Enter' });
    enter('Domanda');
    expect(field('Risposta 1')).toHaveFocus();
    type('Risposta 1', 'Sì');
    enter('Risposta 1');
    expect(field('Risposta 2')).toHaveFocus();
    type('Risposta 2', 'No');
    enter('Risposta 2');
    expect(field('Risposta 3')).toHaveFocus();
  });

  it('keeps what was typed where another person has saved meanwhile', async () => {
    let overtaken = true;
    await open(null, (request) => {
      if (request.method === 'PUT' && overtaken) {
        overtaken = false;
        stored = { ...stored, title: 'Di Anna', intro: 'Di Anna', revision: 7 };
        return problem(412, 'versione-superata');
      }
      return answer(request);
    });
    type('Titolo', 'Mio');
    fireEvent.click(screen.getByRole('button', { name: 'Salva Modifiche' }));
    await pass(3000);
    expect(screen.getByRole('alert')).toHaveTextContent('Inchiesta non salvata');
    expect(field('Titolo')).toHaveValue('Mio');
    expect(field('Introduzione')).toHaveValue('Di Anna');
    fireEvent.click(screen.getByRole('button', { name: 'Salva Modifiche' }));
    await pass(20);
    expect(stored).toMatchObject({ title: 'Mio', intro: 'Di Anna', revision: 8 });
  });

  it('says where what is tried cannot be kept', async () => {
    const message = 'Al massimo 200 caratteri: ora sono 300.';
    await open(null, (request) =>
      request.path === '/prompts/try'
        ? problem(422, 'dati-non-validi', { errors: { 'questions.0.options.0.text': message } })
        : answer(request),
    );
    type('Risposta 1', 'a'.repeat(300));
    fireEvent.click(screen.getByRole('button', { name: 'Prova' }));
    await pass(10);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(field('Risposta 1')).toHaveAccessibleDescription(message);
    expect(field('Risposta 1')).toHaveFocus();
    expect(screen.getByRole('button', { name: `Domanda 1, risposta 1: ${message}` })).toBeVisible();
    type('Risposta 1', 'Sì');
    expect(field('Risposta 1')).not.toHaveAttribute('aria-invalid');
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
