import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { AnswersIn, CalloutQuestion, Message, Receipt } from '../../shared/api/schema';
import type { Boot } from '../../shared/lib/boot';
import { arrivals, lineDown, problem, serve } from '../../shared/testing/server';
import { sampleReceipt } from '../testing/sample-receipt';
import { Follow } from './follow';

const boot = {
  branding: { productName: 'Prova', organizationName: 'Redazione' },
  quickExitUrl: null,
  receipts: true,
  attachments: null,
} as unknown as Boot;

const question = (key: string, kind: CalloutQuestion['kind'], text: string, options: string[] = []) => ({
  key,
  kind,
  text,
  help: '',
  min: null,
  max: null,
  required: false,
  options: options.map((one) => ({ key: one.toLowerCase(), text: one, next: null })),
});

const ASKING: Message = {
  id: 7,
  from: 'redazione',
  text: 'Due cose:',
  at: '2026-03-10T10:00:00Z',
  questions: [
    question('chi', 'text', 'Chi c’era?'),
    question('quanti', 'number', 'Quanti?'),
    question('vero', 'yes_no', 'È vero?'),
    question('cosa', 'choices', 'Che cosa?', ['Rosso', 'Verde']),
  ],
  answers: null,
  consent: null,
};
const CONSENT: Message = {
  ...ASKING,
  id: 8,
  text: 'Possiamo far sentire la tua voce?',
  questions: [],
  consent: { id: 8, kind: 'voce', given: null, asked: '2026-03-10T10:00:00Z', answered: null, givenAt: null },
};

let receipt: Receipt;
let sent: AnswersIn[];
/** Answers instead of taking what was sent; asked once each, then taken. */
let refusals: (() => Response)[];

beforeEach(() => {
  receipt = sampleReceipt({ messages: [ASKING, CONSENT] });
  sent = [];
  refusals = [];
  window.sessionStorage.clear();
  vi.useFakeTimers({ shouldAdvanceTime: true, now: new Date('2026-03-12T09:00:00Z') });
  serve(({ path, body }) => {
    const at = '2026-03-12T08:31:00Z';
    const [asking = ASKING, consent = CONSENT] = receipt.messages;
    if (path === '/receipts/answers') {
      sent.push(body as AnswersIn);
      const refusal = refusals.shift();
      if (refusal) {
        return refusal();
      }
      const data = [
        { key: 'chi', kind: 'text', question: 'Chi c’era?', text: 'Solo io', value: 'Solo io' },
        { key: 'vero', kind: 'yes_no', question: 'È vero?', text: 'No', value: false },
        {
          key: 'cosa',
          kind: 'choices',
          question: 'Che cosa?',
          text: 'Rosso, Verde',
          value: ['rosso', 'verde'],
        },
      ] as const;
      receipt = {
        ...receipt,
        messages: [{ ...asking, answers: { at, read: false, data: [...data] } }, consent],
      };
    }
    if (path === '/receipts/consents/8' && consent.consent) {
      const { given } = body as { given: boolean };
      const decided = { ...consent.consent, given, answered: at, givenAt: at };
      receipt = { ...receipt, messages: [asking, { ...consent, consent: decided }] };
    }
    return Response.json(receipt);
  });
});

const pass = (ms: number) =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
    await arrivals();
  });
const press = async (name: string | RegExp, within_: HTMLElement = document.body) => {
  fireEvent.click(within(within_).getByRole('button', { name }));
  await pass(10);
};
const type = (label: string | RegExp, text: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value: text } });

async function giveCode() {
  type('Il tuo codice', 'ABCDE');
  await press('Apri');
  await act(() => vi.dynamicImportSettled());
  await pass(10);
}

async function enter() {
  render(<Follow boot={boot} />);
  await giveCode();
}

const OVER = () => problem(401, 'visita-scaduta', { detail: 'È passata mezz’ora.' });

it('sends what was entered, all at once, and shows it beside its question', async () => {
  await enter();
  expect(screen.getByText('2 di 4')).toBeInTheDocument();
  type(/^Chi c’era/, 'Solo io');
  fireEvent.click(screen.getByLabelText('No'));
  fireEvent.click(screen.getByLabelText('Verde'));
  fireEvent.click(screen.getByLabelText('Rosso'));
  await press('Invia le risposte');
  expect(sent).toEqual([
    {
      message: 7,
      answers: [
        { key: 'chi', value: 'Solo io' },
        { key: 'vero', value: 'no' },
        { key: 'cosa', value: ['rosso', 'verde'] },
      ],
    },
  ]);
  expect(screen.getByText(/^Inviate alle 09:31\. Si cambiano/)).toHaveFocus();
  expect(screen.getByText('Saltata')).toBeInTheDocument();
  await press('Cambia (È vero?)');
  expect(screen.getByLabelText('Sì')).toHaveFocus();
  expect(screen.getByLabelText('No')).toBeChecked();
  expect(screen.getByLabelText('Verde')).toBeChecked();
  await press('Lascia come prima');
  expect(screen.getByText(/^Inviate/)).toBeInTheDocument();
});

it('has what was typed still when a phone put the page away', async () => {
  await enter();
  type(/^Chi c’era/, 'Solo io');
  type('Scrivi alla redazione', 'Aggiungo una cosa.');
  cleanup();
  render(<Follow boot={boot} />);
  await pass(10);
  await act(() => vi.dynamicImportSettled());
  expect(screen.getByLabelText(/^Chi c’era/)).toHaveValue('Solo io');
  expect(screen.getByLabelText('Scrivi alla redazione')).toHaveValue('Aggiungo una cosa.');
  await press('Esci');
  cleanup();
  await enter();
  expect(screen.getByLabelText(/^Chi c’era/)).toHaveValue('');
});

it('tells a refusal at its question, and loses nothing', async () => {
  refusals = [
    () => problem(422, 'dati-non-validi', { errors: { 'answers.quanti': 'Al massimo 500.' } }),
    lineDown,
    lineDown,
  ];
  await enter();
  type(/^Chi c’era/, 'Solo io');
  type(/^Quanti/, '2001');
  await press('Invia le risposte');
  expect(screen.getByLabelText(/^Quanti/)).toHaveAccessibleDescription('Al massimo 500.');
  expect(screen.getByLabelText(/^Quanti/)).toHaveFocus();
  await press('Invia le risposte');
  expect(screen.getByText(/^Manca la linea/)).toBeInTheDocument();
  expect(screen.getByLabelText(/^Quanti/)).not.toHaveAccessibleDescription('Al massimo 500.');
  expect(screen.getByLabelText(/^Chi c’era/)).toHaveValue('Solo io');
  await press('Invia le risposte');
  expect(sent).toHaveLength(4);
  expect(screen.getByText(/^Inviate/)).toBeInTheDocument();
});

it('keeps what was entered over a visit that ends, for the same report alone', async () => {
  refusals = [OVER, OVER];
  await enter();
  type(/^Chi c’era/, 'Solo io');
  fireEvent.click(screen.getByLabelText('Verde'));
  await press('Invia le risposte');
  await giveCode();
  expect(screen.getByLabelText(/^Chi c’era/)).toHaveValue('Solo io');
  expect(screen.getByLabelText('Verde')).toBeChecked();
  expect(window.sessionStorage).toHaveLength(2);
  await press('Invia le risposte');
  receipt = { ...receipt, data_creazione: '2026-03-11T08:00:00Z' };
  await giveCode();
  expect(screen.getByLabelText(/^Chi c’era/)).toHaveValue('');
  expect(screen.getByLabelText('Verde')).not.toBeChecked();
});

it('keeps a change that comes too late, and offers it for a message', async () => {
  await enter();
  await press('Invia le risposte');
  await press('Cambia (Chi c’era?)');
  type(/^Chi c’era/, 'Anche Ugo');
  const [asking = ASKING, consent = CONSENT] = receipt.messages;
  receipt = {
    ...receipt,
    messages: [{ ...asking, answers: asking.answers && { ...asking.answers, read: true } }, consent],
  };
  await pass(15_100);
  expect(screen.queryByRole('button', { name: 'Invia le risposte' })).toBeNull();
  await press('Metti nel messaggio');
  const box = screen.getByLabelText('Scrivi alla redazione');
  expect(box).toHaveValue('Chi c’era?\nAnche Ugo\n\nÈ vero?\nNo\n\nChe cosa?\nRosso, Verde');
  expect(box).toHaveFocus();
  expect(screen.queryByRole('button', { name: /^Cambia/ })).toBeNull();
  expect(screen.getByText(/La redazione le ha lette/)).toBeInTheDocument();
});

it('gives a consent, and takes it back from where all of them are listed', async () => {
  await enter();
  const box = screen.getByRole('group', { name: 'Far sentire la tua voce' });
  expect(box).toHaveTextContent('Puoi ritirarlo da qui in ogni momento');
  await press(/^Sì, acconsento/, box);
  expect(within(box).getByText('Hai detto sì il 12/03/2026 09:31.')).toBeInTheDocument();
  const list = screen.getByRole('region', { name: 'Le tue autorizzazioni' });
  await press('Ritira il consenso (far sentire la tua voce)', list);
  expect(within(box).getByText('Hai ritirato il consenso il 12/03/2026 09:31.')).toBeInTheDocument();
  expect(within(box).getByRole('button', { name: /^Sì, acconsento/ })).toBeInTheDocument();
});
