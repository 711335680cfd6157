import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openPage, pass, press } from '../testing/panel-page';
import { ChangesPage } from './changes-page';

const done = { batch: 6, at: '2026-11-28T09:00:00Z', total: 3, done: 3, changed: 3, own: false };
const changes = [
  { ...done, author: { id: 'a', name: 'Anna Bianchi', removed: false }, change: { stato: 'Archiviata' } },
  { ...done, batch: 5, changed: 0, author: null, change: { urgente: true } },
  { ...done, batch: 4, changed: 1, author: null, change: { story: null } },
];

const open = (data: readonly object[]) =>
  openPage(<ChangesPage />, ({ method }) =>
    Response.json(
      method === 'POST'
        ? { batch: 6, changed: 2, refused: [{ id: 'x', name: '', detail: '' }], unnamed: 0 }
        : { data },
    ),
  );

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
