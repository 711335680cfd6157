import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { MessageList } from '../../shared/api/schema';
import { openPage, pass, problem, type Request } from '../testing/panel-page';
import { sampleSystem } from '../testing/sample-settings';
import { MessagesCard } from './messages-card';

let list: MessageList;
let refused: boolean;

function answer({ method, path, body }: Request): Response {
  if (path === '/settings/desk') {
    return Response.json(sampleSystem());
  }
  if (method === 'POST') {
    if (refused) {
      return problem(507, 'spazio-esaurito');
    }
    const { text } = body as { text: string };
    list = {
      ...list,
      data: [...list.data, { from: 'redazione', text, at: '2026-03-10T11:00:00Z', author: null }],
    };
  }
  return Response.json(list);
}

beforeEach(() => {
  vi.useFakeTimers();
  refused = false;
  const told = {
    from: 'segnalante',
    text: 'Dietro la chiesa.',
    at: '2026-03-10T10:00:00Z',
    author: null,
  } as const;
  list = { data: [told], receipt: true, unread: true };
});
afterEach(() => vi.useRealTimers());

const box = () => screen.getByLabelText('Scrivi a chi ha segnalato', { selector: 'textarea' });
const send = async () => {
  fireEvent.click(screen.getByRole('button', { name: 'Invia il messaggio' }));
  await pass(10);
};

it('shows the thread and writes in it, beginning with a template', async () => {
  const page = await openPage(<MessagesCard id="r1" />, answer);
  const thread = within(screen.getByRole('list', { name: 'Messaggi' }));
  expect(thread.getByText('Dietro la chiesa.')).toBeInTheDocument();
  fireEvent.change(screen.getByLabelText('Risposte pronte'), { target: { value: 'Quando è successo?' } });
  expect(box()).toHaveValue('Quando è successo?');
  refused = true;
  await send();
  expect(screen.getByRole('alert')).toHaveTextContent('Messaggio non inviato');
  expect(box()).toHaveValue('Quando è successo?');
  refused = false;
  await send();
  expect(thread.getByText('Quando è successo?')).toBeInTheDocument();
  expect(box()).toHaveValue('');
  expect(page.changes()).toHaveLength(2);
});

it('answers a request to withdraw where that is ticked, and only then', async () => {
  const page = await openPage(<MessagesCard id="r1" withdrawal />, answer);
  fireEvent.change(box(), { target: { value: 'Quando?' } });
  await send();
  fireEvent.change(box(), { target: { value: 'La teniamo.' } });
  fireEvent.click(screen.getByLabelText('Risponde alla richiesta di ritirare tutto'));
  fireEvent.click(screen.getByRole('button', { name: 'Rispondi e chiudi la richiesta' }));
  await pass(10);
  const closing = page.changes().map(({ body }) => (body as { closesWithdrawal: boolean }).closesWithdrawal);
  expect(closing).toEqual([false, true]);
});

it('says where nobody could read a message', async () => {
  list = { data: [], receipt: false, unread: false };
  await openPage(<MessagesCard id="r1" />, answer);
  expect(screen.getByText(/non ha una ricevuta/)).toBeInTheDocument();
  expect(screen.queryByRole('textbox')).toBeNull();
});
