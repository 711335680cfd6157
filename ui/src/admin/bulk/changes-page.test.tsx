import { fireEvent, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openPage, pass, press } from '../testing/panel-page';
import { ChangesPage } from './changes-page';

const done = { batch: 6, at: '2026-11-28T09:00:00Z', total: 3, done: 3, changed: 3, own: false };
const changes = [
  { ...done, author: { id: 'a', name: 'Anna Bianchi', removed: false }, change: { stato: 'Archiviata' } },
  { ...done, batch: 5, changed: 0, author: null, change: { urgente: true } },
  { ...done, batch: 4, changed: 1, author: null, change: { story: null } },
];

const option = (key: string, text: string) => ({ key, text, next: null });
const own = { help: '', required: false, min: null, max: null };
const answers = {
  questions: [
    {
      ...own,
      key: 'd1',
      kind: 'choice',
      text: 'Quando?',
      options: [option('g', 'Di giorno'), option('n', 'Di notte')],
    },
    { ...own, key: 'd2', kind: 'text', text: 'Chi c’era?', options: [] },
  ],
  data: [
    { report: 'r1', read: false, answered: false, answers: {} },
    { report: 'r2', read: true, answered: true, answers: { d1: 'Di notte' } },
  ],
  counts: {
    d1: [
      { option: 'g', n: 0 },
      { option: 'n', n: 1 },
    ],
  },
};
const message = {
  batch: 'b1',
  at: '2026-11-28T09:00:00Z',
  author: null,
  text: 'Due cose:',
  questions: 2,
  sent: 2,
  read: 1,
  answered: 1,
  reports: [
    { id: 'r1', name: 'Anna Rossi', read: false, answered: false },
    { id: 'r2', name: 'Luca Verdi', read: true, answered: true },
  ],
};

const open = (data: readonly object[], messages: readonly object[] = []) =>
  openPage(<ChangesPage />, ({ method, path }) => {
    if (path === '/messages/bulk') {
      return Response.json({ data: messages });
    }
    if (path === '/messages/bulk/b1/answers') {
      return Response.json(answers);
    }
    return Response.json(
      method === 'POST'
        ? { batch: 6, changed: 2, refused: [{ id: 'x', name: '', detail: '' }], unnamed: 0 }
        : { data },
    );
  });

it('says what was done to how many, and by whom, and takes it back', async () => {
  const page = await open(changes);
  const list = within(screen.getByRole('list', { name: 'Ultime modifiche' }));
  expect(list.getAllByRole('listitem').map((one) => one.textContent)).toEqual([
    expect.stringMatching(/^3 segnalazioni archiviateAnna Bianchi · 28\/11\/2026 10:00Annulla/),
    expect.stringMatching(/^1 segnalazione tolta dalla storiaPassword della redazione · /),
  ]);
  await press(/^Annulla: 3 segnalazioni archiviate|^Annulla 3 segnalazioni archiviate/);
  await pass(10);
  expect(page.changes().map(({ path }) => path)).toEqual(['/reports/bulk/6/undo']);
  expect(screen.getByText('Annullato. 2 segnalazioni come prima; 1 cambiata dopo')).toBeInTheDocument();
});

it('says where the others are when there is nothing', async () => {
  await open([]);
  expect(screen.getByText('Niente da annullare')).toBeInTheDocument();
});

it('shows what was answered to a message to many, and reads it only once it is opened', async () => {
  const page = await open([], [message]);
  const asked = () => page.requests.filter(({ path }) => path.endsWith('/answers')).length;
  const summary = screen.getByText('Risposte: letto da 1, risposto da 1');
  expect(asked()).toBe(0);
  const details = summary.closest('details') as HTMLDetailsElement;
  details.open = true;
  fireEvent(details, new Event('toggle'));
  await pass(10);
  expect(asked()).toBe(1);
  const cells = screen.getAllByRole('row').map((row) => [...row.children].map((cell) => cell.textContent));
  expect(cells).toEqual([
    ['Chi', 'Ha letto', 'Quando?', 'Chi c’era?'],
    ['Luca Verdi', 'Sì', 'Di notte', 'Saltata'],
    ['Anna Rossi', 'No', '—', '—'],
  ]);
  expect(screen.getByText('Di giorno')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Esporta CSV' })).toHaveAttribute(
    'href',
    '/paibeta/api/reports/export.csv?batch=b1',
  );
});
