import { act, fireEvent, screen, within } from '@testing-library/react';
import { useRef, useState } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { DeskMessage, ReplyIn, ReportDetail } from '../../shared/api/schema';
import { PLAIN } from '../../shared/testing/plain-message';
import { problem, type Request } from '../../shared/testing/server';
import { openPage, pass, press } from '../testing/panel-page';
import { sampleReport } from '../testing/samples';
import { Composer, type Drafts, EMPTY } from './composer';
import { ConsentsLine } from './consents-line';
import { Stream } from './stream';
import { useFit } from './use-fit';

const ours = {
  ...PLAIN,
  from: 'redazione',
  author: null,
  text: 'Due cose:',
  at: '2026-11-23T08:00:00Z',
} as const;
const question = (key: string, text: string) =>
  ({ key, text, kind: 'text', help: '', required: false, min: null, max: null, options: [] }) as const;
const questions = [question('a', 'Chi c’era?'), question('b', 'Da quando?')].map((one) => ({
  ...one,
  options: [],
}));

let data: DeskMessage[];
let unread: boolean;
let refusal: Readonly<Record<string, string>> | null;
let callouts: object[];

function answer({ method, path, body }: Request): Response {
  if (path === '/callouts') {
    return Response.json({ data: callouts });
  }
  if (path.startsWith('/reports/r1/messages')) {
    if (method === 'POST' && refusal) {
      return problem(422, 'dati-non-validi', { errors: refusal });
    }
    if (method === 'POST') {
      const { text, questions: asked = [] } = body as ReplyIn;
      data = [...data, { ...ours, id: 7, text, questions: asked, at: '2026-11-23T09:10:00Z' }];
    }
    if (method === 'DELETE') {
      data = data.slice(0, -1);
    }
    return Response.json({ data, receipt: true, unread });
  }
  return Response.json({ data: [] });
}

function Both({ report }: { report: ReportDetail }) {
  const [drafts, setDrafts] = useState<Drafts>(EMPTY);
  const box = useRef<HTMLTextAreaElement>(null);
  const sending = useRef(false);
  return (
    <>
      <ConsentsLine report={report} />
      <Stream {...{ report, sending }} fit={useFit(report)} />
      <Composer
        {...{ report, box, drafts }}
        way="out"
        onSend={() => undefined}
        onWay={() => undefined}
        onWrite={() => undefined}
        onDrafts={setDrafts}
      />
    </>
  );
}

const open = (more: Partial<ReportDetail> = {}) =>
  openPage(<Both report={sampleReport({ id: 'r1', ...more })} />, answer);

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-23T09:14:00Z') });
  data = [];
  unread = false;
  refusal = null;
  callouts = [];
});

const write = async (text: string) => {
  const box = screen.getByRole('textbox', { name: 'Scrivi a chi ha segnalato' });
  act(() => box.focus());
  fireEvent.change(box, { target: { value: text } });
  await pass(10);
};
const typeIn = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const rows = () => within(screen.getByRole('list', { name: 'Domande' })).getAllByRole('listitem');

it('asks, one question open at a time, and sends them with the text', async () => {
  const page = await open();
  await write('Tre cose:');
  await press('Domanda');
  typeIn('Domanda 1', 'Chi c’era?');
  // Enter goes on to the next, and does not send.
  fireEvent.keyDown(screen.getByLabelText('Domanda 1'), { key: 'Enter' });
  await pass(0);
  typeIn('Domanda 2', 'In che giorni?');
  fireEvent.change(screen.getByLabelText('Risposta alla domanda 2'), { target: { value: 'choices' } });
  typeIn('Scelta 1', 'Il lunedì');
  typeIn('Scelta 2', 'Il venerdì');
  expect(screen.queryByLabelText('Domanda 1')).toBeNull();
  expect(screen.queryByText('Poi')).toBeNull();
  expect(page.changes()).toEqual([]);
  await press('Invia con 2 domande');
  const { questions: sent } = (page.changes()[0]?.body ?? {}) as ReplyIn;
  expect(sent).toMatchObject([
    { kind: 'text', text: 'Chi c’era?', options: [] },
    {
      kind: 'choices',
      text: 'In che giorni?',
      options: [
        { text: 'Il lunedì', next: null },
        { text: 'Il venerdì', next: null },
      ],
    },
  ]);
  expect(screen.getByText('2. In che giorni?')).toBeInTheDocument();
  expect(screen.queryByText('2 di 6')).toBeNull();
});

it('stops at six, and gives one back that was taken out', async () => {
  await open();
  await write('Sei cose:');
  for (let n = 1; n <= 6; n += 1) {
    await press('Domanda');
    typeIn(`Domanda ${n}`, `Numero ${n}?`);
  }
  expect(screen.getByText('6 di 6')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Domanda' })).toHaveAttribute('aria-disabled', 'true');
  await press('Togli la domanda 6');
  expect(rows()).toHaveLength(5);
  await press(/^Annulla/);
  expect(rows()).toHaveLength(6);
});

it('leads to the question that the server refuses, and loses nothing', async () => {
  await open();
  await write('Due cose:');
  await press('Domanda');
  typeIn('Domanda 1', 'Quale?');
  fireEvent.change(screen.getByLabelText('Risposta alla domanda 1'), { target: { value: 'choice' } });
  await press('Domanda');
  typeIn('Domanda 2', 'Chi?');
  refusal = { 'questions.0.options.1.text': 'Scrivi la scelta.' };
  await press('Invia con 2 domande');
  await pass(0);
  const missing = screen.getByLabelText('Scelta 2');
  expect(missing).toHaveAccessibleDescription('Scrivi la scelta.');
  expect(missing).toHaveFocus();
  expect(screen.getByRole('textbox', { name: 'Scrivi a chi ha segnalato' })).toHaveValue('Due cose:');
});

it('takes the questions of a callout, their words and answers alone', async () => {
  const option = (key: string, text: string) => ({ key, text, next: 'end:Grazie.' });
  const one = (n: number) => ({
    ...question(`q${n}`, `Quanto ${n}?`),
    kind: 'number',
    min: 1,
    max: 9,
    required: true,
  });
  const choice = {
    ...one(0),
    kind: 'choice',
    text: 'Dove?',
    options: [option('a', 'Qui'), option('b', 'Altrove')],
  };
  callouts = [
    {
      id: 'c1',
      title: 'Turni',
      questions: [choice, 1, 2, 3, 4, 5, 6].map((n) => (typeof n === 'number' ? one(n) : n)),
    },
  ];
  const page = await open();
  await write('Alcune cose:');
  fireEvent.change(screen.getByLabelText('Domande di un’inchiesta'), { target: { value: 'c1' } });
  await pass(0);
  expect(screen.getByText('Le prime 6 di 7 da «Turni»')).toBeInTheDocument();
  await press('Invia con 6 domande');
  const { questions: sent = [] } = (page.changes()[0]?.body ?? {}) as ReplyIn;
  expect(sent.map(({ text }) => text)).toEqual(['Dove?', ...[1, 2, 3, 4, 5].map((n) => `Quanto ${n}?`)]);
  expect(sent[0]?.options.map(({ text, next }) => [text, next])).toEqual([
    ['Qui', null],
    ['Altrove', null],
  ]);
  expect(sent[1]).toMatchObject({ min: null, max: null, required: false });
});

it('takes a message back, which is then there to be written anew', async () => {
  const page = await open();
  await write('Una cosa:');
  await press('Domanda');
  typeIn('Domanda 1', 'Chi c’era?');
  await press('Invia con 1 domanda');
  await press(/^Annulla/);
  expect(page.changes().map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /reports/r1/messages',
    'DELETE /reports/r1/messages/7',
  ]);
  expect(screen.queryByText('1. Chi c’era?')).toBeNull();
  expect(screen.getByRole('textbox', { name: 'Scrivi a chi ha segnalato' })).toHaveValue('Una cosa:');
  expect(screen.getByText('1 di 6')).toBeInTheDocument();
});

it('tells each answer beside its question, as new, when it came', async () => {
  const said = {
    key: 'b',
    kind: 'text',
    question: 'Da quando?',
    text: 'Da marzo.',
    value: 'Da marzo.',
  } as const;
  const answers = { data: [said], at: '2026-11-23T09:00:00Z', read: false };
  data = [{ ...ours, questions, answers }];
  unread = true;
  await open();
  const entries = within(screen.getByRole('region', { name: 'Conversazione' })).getAllByRole('listitem');
  const last = entries.at(-1) as HTMLElement;
  expect(last).toHaveTextContent(/^NuovoMaria10:00/);
  const pairs = (role: string) =>
    within(last)
      .getAllByRole(role)
      .map((one) => one.textContent);
  expect([pairs('term'), pairs('definition')]).toEqual([
    ['Chi c’era?', 'Da quando?'],
    ['Saltata', 'Da marzo.'],
  ]);
});

it('lists questions while nobody has answered them', async () => {
  data = [{ ...ours, questions }];
  await open();
  expect(rows().map((row) => row.textContent)).toEqual(['1. Chi c’era?', '2. Da quando?']);
  expect(screen.getByText('Non ha ancora risposto')).toBeInTheDocument();
});

it('says in one line how consents stand, with their exact words', async () => {
  const at = { asked: '2026-11-20T08:00:00Z', answered: '2026-11-21T08:00:00Z', givenAt: null };
  const consents = [
    { id: 1, kind: 'voce', given: true, text: 'Si può sentire la tua voce?', ...at },
    { id: 2, kind: 'volto', given: false, text: 'Si può vedere il tuo volto?', ...at },
    {
      id: 3,
      kind: 'documenti',
      given: false,
      text: 'Si possono pubblicare?',
      ...at,
      givenAt: '2026-11-20T09:00:00Z',
    },
    { id: 4, kind: 'nome', given: null, text: 'Si può fare il tuo nome?', ...at, answered: null },
    {
      id: 5,
      kind: 'voce',
      given: null,
      text: 'E adesso?',
      ...at,
      asked: '2026-11-22T08:00:00Z',
      answered: null,
    },
  ] as const;
  const change = { tipo: 'consenso', da: 'documenti', author: null } as const;
  const storia = [
    { ...change, a: '1', data: '2026-11-20T09:00:00Z' },
    { ...change, a: 'ritirato', data: '2026-11-21T08:00:00Z' },
  ];
  await open({ consents: [...consents], storia });
  expect(
    screen.getByText(
      'Nome: chiesto · Voce: sì, 21/11/2026 · Volto: no, 21/11/2026 · Documenti: ritirato, 21/11/2026',
    ),
  ).toBeInTheDocument();
  expect(screen.getByRole('region', { name: 'Voce', hidden: true })).toHaveTextContent(
    'Si può sentire la tua voce?',
  );
  const told = screen.getByRole('region', { name: 'Conversazione' });
  expect(told).toHaveTextContent(/Consenso dato: documenti.*Consenso ritirato: documenti/);
});
