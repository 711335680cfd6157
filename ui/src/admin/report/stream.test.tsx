import { act, fireEvent, screen, within } from '@testing-library/react';
import { useRef, useState } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { MessageList, ReportDetail } from '../../shared/api/schema';
import { PLAIN } from '../../shared/testing/plain-message';
import { problem, type Request } from '../../shared/testing/server';
import { POLL_MS } from '../common/polling';
import { openPage, pass, press } from '../testing/panel-page';
import { sampleReport, sampleWho } from '../testing/samples';
import { Composer, type Drafts, EMPTY, type Way } from './composer';
import { Stream } from './stream';
import { useFit } from './use-fit';

const anna = sampleWho();
const comment = (n: number, more: object) => ({
  n,
  author: { id: anna.id, name: anna.name },
  at: '2026-11-23T09:00:00Z',
  edited: null,
  text: `Commento ${n}`,
  mine: true,
  ...more,
});
let comments: object[];
let list: MessageList;
let refused: boolean;
let callouts: object[];

function answer({ method, path, body }: Request): Response {
  if (path.startsWith('/colleagues')) {
    const data = [
      { id: anna.id, name: anna.name, gone: false, edits: true },
      { id: 'p2', name: 'Màrio Bassi', gone: false, edits: true },
    ];
    return Response.json({ data });
  }
  if (path === '/callouts') {
    return Response.json({ data: callouts });
  }
  if (path === '/settings/desk') {
    return Response.json({ enableNotifications: true, replyTemplates: 'Quando è successo?\n\nGrazie.' });
  }
  if (method === 'POST' && refused) {
    return problem(507, 'spazio-esaurito');
  }
  const { text } = (body ?? {}) as { text?: string };
  if (text && text.length > 5000) {
    return problem(422, 'dati-non-validi', { errors: { text: 'Al massimo 5000 caratteri.' } });
  }
  if (path.endsWith('/messages')) {
    if (method === 'POST') {
      const sent = {
        ...PLAIN,
        from: 'redazione',
        text: text ?? '',
        at: '2026-11-23T11:00:00Z',
        author: null,
      } as const;
      list = { ...list, data: [...list.data, sent] };
    }
    return Response.json(list);
  }
  if (method === 'POST') {
    comments = [...comments, comment(9, { text, at: '2026-11-23T09:14:00Z' })];
  }
  return Response.json({ data: comments });
}

function Both({ report, first = 'in' }: { report: ReportDetail; first?: Way }) {
  const [way, setWay] = useState<Way>(first);
  const [drafts, setDrafts] = useState<Drafts>(EMPTY);
  const box = useRef<HTMLTextAreaElement>(null);
  const sending = useRef(false);
  const onSend = () => {
    sending.current = true;
  };
  return (
    <>
      <Stream {...{ report, sending }} fit={useFit(report)} />
      <Composer
        {...{ report, way, box, drafts, onSend }}
        onWay={setWay}
        onWrite={setWay}
        onDrafts={setDrafts}
      />
    </>
  );
}

const report = (more: Partial<ReportDetail> = {}) => sampleReport({ id: 'r1', ...more });

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-23T09:14:00Z') });
  refused = false;
  callouts = [];
  comments = [comment(1, {}), comment(2, { mine: false, author: null })];
  const told = {
    ...PLAIN,
    from: 'segnalante',
    text: 'Dietro la chiesa.',
    at: '2026-11-23T08:00:00Z',
    author: null,
  } as const;
  list = { data: [told], receipt: true, unread: true };
});
const inward = () => screen.getByRole('textbox', { name: 'Aggiungi un commento' });
const outward = () => screen.getByRole('textbox', { name: 'Scrivi a chi ha segnalato' });
const entries = () => within(screen.getByRole('region', { name: 'Conversazione' })).getAllByRole('listitem');
const type = (box: HTMLElement, value: string) => fireEvent.change(box, { target: { value } });

it('tells everything in one order, the newest last, and who said what to whom', async () => {
  const at = '2026-11-20T22:30:00Z';
  const came = { n: 1, name: 'a.jpg', type: 'image/jpeg', size: 9, at };
  await openPage(
    <Both
      report={report({
        attachments: [came, { ...came, n: 2 }, { ...came, n: 3, at: '2026-11-23T08:00:00Z' }],
        storia: [
          { tipo: 'ricevuta', data: at, author: null },
          { tipo: 'risposta', data: '2026-11-23T08:00:00Z', author: null },
          { tipo: 'esportata', data: '2026-11-23T09:30:00Z', author: { id: anna.id, name: anna.name } },
          {
            tipo: 'stato',
            da: 'Nuova',
            a: 'Risolta',
            data: '2026-11-23T10:00:00Z',
            author: { id: anna.id, name: anna.name },
          },
        ],
      })}
    />,
    answer,
    { who: anna },
  );
  const told = entries().map((entry) => entry.textContent);
  expect(told).toHaveLength(4);
  expect(told[0]).toMatch(/Maria.*Dietro la chiesa\..*Con 1 file/);
  expect(told[1]).toMatch(/Anna Rossi alla redazione.*Commento 1/);
  expect(told[2]).toMatch(/Redazione alla redazione.*Commento 2/);
  expect(told[3]).toMatch(/^Anna Rossi: Risolta/);
});

it('says at the box what is too long, and cuts nothing', async () => {
  await openPage(<Both report={report()} />, answer, { who: anna });
  type(inward(), 'è'.repeat(5001));
  await press('Commenta');
  expect(inward()).toHaveAccessibleDescription('Al massimo 5000 caratteri.');
  expect(inward()).toBeInvalid();
  expect(inward()).toHaveValue('è'.repeat(5001));
});

it('keeps what was typed until it arrives, for each of the two apart', async () => {
  const page = await openPage(<Both report={report()} />, answer, { who: anna });
  type(inward(), 'Sentita la preside.');
  refused = true;
  await press('Commenta');
  expect(screen.getByRole('alert')).toHaveTextContent('Commento non salvato');
  expect(inward()).toHaveValue('Sentita la preside.');
  fireEvent.click(screen.getByRole('radio', { name: /A Maria/ }));
  expect(outward()).toHaveValue('');
  type(outward(), 'Quando?');
  fireEvent.click(screen.getByRole('radio', { name: /Alla redazione/ }));
  refused = false;
  await press('Commenta');
  expect(inward()).toHaveValue('');
  expect(entries().at(-1)).toHaveTextContent('Sentita la preside.');
  // The key of the comment is kept: one whose answer was lost is not written twice.
  const keys = page.changes().map(({ body }) => (body as { key: string }).key);
  expect(keys[0]).toMatch(/./);
  expect(keys[1]).toBe(keys[0]);
  fireEvent.click(screen.getByRole('radio', { name: /A Maria/ }));
  expect(outward()).toHaveValue('Quando?');
  await press('Invia a Maria');
  expect(entries().at(-1)).toHaveTextContent('Quando?');
  expect(page.changes().map(({ path }) => path.split('/').at(-1))).toEqual([
    'comments',
    'comments',
    'messages',
  ]);
});

it('brings a name by @ and a ready text by #, with the keys of the box', async () => {
  await openPage(<Both report={report()} />, answer, { who: anna });
  type(inward(), 'Senti @mari');
  expect(screen.getByRole('option', { name: 'Màrio Bassi' })).toHaveAttribute('aria-selected', 'true');
  fireEvent.keyDown(inward(), { key: 'Enter' });
  expect(inward()).toHaveValue('Senti @Màrio Bassi ');
  type(inward(), 'posta@mari');
  expect(screen.queryByRole('listbox')).toBeNull();
  type(inward(), '#');
  expect(screen.getAllByRole('option')).toHaveLength(2);
  fireEvent.keyDown(inward(), { key: 'ArrowDown' });
  fireEvent.keyDown(inward(), { key: 'Tab' });
  expect(inward()).toHaveValue('Grazie.');
  fireEvent.click(screen.getByRole('radio', { name: /A Maria/ }));
  type(outward(), '@anna');
  expect(screen.queryByRole('listbox')).toBeNull();
});

it('offers to change one’s own for a quarter of an hour, and nobody else’s', async () => {
  await openPage(<Both report={report()} />, answer, { who: anna });
  const ways = (entry: HTMLElement | undefined) =>
    within(entry as HTMLElement).queryAllByRole('button', { name: /^Modifica/ });
  const mine = entries().find((entry) => entry.textContent?.includes('Commento 1'));
  const theirs = entries().find((entry) => entry.textContent?.includes('Commento 2'));
  expect(ways(mine)).toHaveLength(1);
  expect(ways(theirs)).toHaveLength(0);
  await pass(65_000);
  expect(ways(mine)).toHaveLength(0);
});

it('answers a request to withdraw where that is ticked, and only then', async () => {
  const withdrawal = { at: '2026-11-23T08:00:00Z', due: '2026-12-23T08:00:00Z' };
  const page = await openPage(<Both report={report({ withdrawal })} first="out" />, answer);
  type(outward(), 'Quando?');
  await press('Invia a Maria');
  type(outward(), 'La teniamo.');
  fireEvent.click(screen.getByLabelText('Risponde alla richiesta di ritirare tutto'));
  await press('Rispondi e chiudi la richiesta');
  const closing = page.changes().map(({ body }) => (body as { closesWithdrawal: boolean }).closesWithdrawal);
  expect(closing).toEqual([false, true]);
});

it('says where nobody could read a message', async () => {
  list = { data: [], receipt: false, unread: false };
  await openPage(<Both report={report()} first="out" />, answer);
  expect(screen.getByText(/non ha una ricevuta/)).toHaveAttribute('readonly');
  expect(screen.getAllByRole('textbox')).toHaveLength(1);
  expect(screen.queryByRole('button', { name: /^Invia/ })).toBeNull();
});

it('has nothing to change in the hands of a reader', async () => {
  await openPage(<Both report={report()} />, answer, { who: sampleWho({ role: 'lettore' }) });
  expect(screen.getByText('Commento 1')).toBeInTheDocument();
  const stream = within(screen.getByRole('region', { name: 'Conversazione' }));
  expect(stream.queryByRole('button')).toBeNull();
});

it('marks where what is new begins, folds what was read, and keeps the mark until the report is left', async () => {
  const wrote = (text: string, minute: string, from: 'redazione' | 'segnalante' = 'segnalante') => ({
    ...PLAIN,
    from,
    text,
    at: `2026-11-23T08:${minute}:00Z`,
    author: null,
  });
  const asked = wrote('Quando?', '10', 'redazione');
  list = { data: [wrote('Prima.', '00'), asked, wrote('Il martedì.', '20')], receipt: true, unread: true };
  comments = [];
  await openPage(<Both report={report()} />, answer);
  expect(entries().map((entry) => entry.textContent)).toEqual([
    expect.stringMatching(/^Nuovo.*Il martedì\./),
  ]);
  list = { ...list, unread: false, data: [...list.data, wrote('E il venerdì.', '30')] };
  await pass(POLL_MS + 100);
  expect(entries().map((entry) => entry.textContent)).toEqual([
    expect.stringMatching(/^Nuovo.*Il martedì\./),
    expect.stringMatching(/^Maria.*E il venerdì\./),
  ]);
  await press(/^2 già letti · messaggio di Maria, messaggio di redazione$/);
  expect(entries()).toHaveLength(4);
  expect(entries()[2]).toHaveTextContent(/^Nuovo/);
});

it('folds nothing where nothing is new', async () => {
  list = { ...list, unread: false };
  await openPage(<Both report={report()} />, answer);
  expect(entries()).toHaveLength(3);
  expect(screen.queryByText('Nuovo')).toBeNull();
});

it('has one line until it is used, and says who reads what', async () => {
  await openPage(<Both report={report({ department: 'sanita', departmentName: 'Sanità' })} />, answer, {
    who: anna,
  });
  const box = inward().closest('[data-way]');
  expect(box).not.toHaveAttribute('data-open');
  act(() => inward().focus());
  expect(box).toHaveAttribute('data-open');
  expect(screen.getByText('Lo legge chi vede Sanità: Màrio, tu')).toBeInTheDocument();
  act(() => inward().blur());
  expect(box).not.toHaveAttribute('data-open');
  type(inward(), 'Una bozza.');
  expect(box).toHaveAttribute('data-open');
});
