import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { problem, type Request } from '../../shared/testing/server';
import { openPage, pass, type } from '../testing/panel-page';
import { PeopleCard } from './people-card';

const LINK = 'https://redazione.example/paibeta/invito#gettone';
let people: object[];
let taken: boolean;

function answer({ method, path }: Request): Response {
  if (path === '/people' && method === 'POST') {
    return taken
      ? problem(422, 'dati-non-validi', { errors: { user: 'Questo nome utente c’è già.' } })
      : Response.json({ id: 'p1', invitation: LINK });
  }
  return method === 'DELETE' ? new Response(null, { status: 204 }) : Response.json({ data: people });
}

beforeEach(() => {
  people = [];
  taken = false;
});
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

it('proposes a user name, wants a department where not all are meant, and shows the invitation once', async () => {
  const page = await openPage(<PeopleCard />, answer);
  press('Aggiungi una persona');
  type('Nome e cognome', 'Nicolò Sartori');
  expect(screen.getByLabelText('Nome utente')).toHaveValue('nicolo.sartori');
  fireEvent.click(screen.getByLabelText('Tutti'));
  expect(screen.getByRole('button', { name: 'Crea l’invito' })).toHaveAttribute('aria-disabled', 'true');
  fireEvent.click(screen.getByLabelText('Sanità/Ospedali'));
  taken = true;
  press('Crea l’invito');
  await pass(10);
  expect(screen.getByText('Questo nome utente c’è già.')).toBeInTheDocument();
  expect(screen.getByLabelText('Nome utente')).toHaveFocus();
  // Told at its field and nowhere else.
  expect(screen.queryByText('Persona non aggiunta')).toBeNull();
  taken = false;
  press('Crea l’invito');
  await pass(10);
  const body = { name: 'Nicolò Sartori', user: 'nicolo.sartori', role: 'redattore', departments: ['sanita'] };
  expect(page.changes().at(-1)).toEqual({ method: 'POST', path: '/people', body });
  expect(within(screen.getByRole('dialog')).getByText(LINK)).toBeInTheDocument();
  press('Chiudi');
  expect(screen.queryByText(LINK)).toBeNull();
});

const ANNA = {
  id: 'p1',
  name: 'Anna Rossi',
  user: 'anna.rossi',
  role: 'lettore',
  departments: ['scuola'],
  state: 'attiva',
  secondFactor: true,
  passkeys: 0,
  created: '2026-11-20T08:00:00Z',
  lastLogin: null,
};

it.each([
  ['Togli il secondo fattore', { secondFactor: false }, 'Anna Rossi entra con la sola password.'],
  ['Salva', { name: 'Anna Rossi', role: 'lettore', departments: ['scuola'] }, 'Modifiche salvate.'],
])('tells what “%s” did', async (button, body, told) => {
  people = [ANNA];
  const page = await openPage(<PeopleCard />, answer);
  press('Modifica Anna Rossi');
  press(button);
  await pass(10);
  expect(page.changes().map((change) => change.body)).toEqual([body]);
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.getByText(told)).toBeInTheDocument();
});

it('removes somebody after one question', async () => {
  people = [ANNA];
  const page = await openPage(<PeopleCard />, answer);
  expect(screen.getByText(/Lettore · Scuola\/Istruzione · Secondo fattore attivo/)).toBeInTheDocument();
  for (const name of ['Modifica Anna Rossi', 'Nuovo invito per Anna Rossi']) {
    expect(screen.getByRole('button', { name })).toBeInTheDocument();
  }
  screen.getByRole('button', { name: 'Rimuovi Anna Rossi' }).focus();
  press('Rimuovi Anna Rossi');
  people = [];
  fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Rimuovi' }));
  await pass(10);
  expect(screen.getByRole('region', { name: 'Chi ha accesso' })).toHaveFocus();
  expect(page.changes()).toEqual([{ method: 'DELETE', path: '/people/p1', body: undefined }]);
  expect(screen.getByText('Anna Rossi non ha più accesso.')).toBeInTheDocument();
});

it.each([
  [0, 'Lettore · Scuola/Istruzione · Secondo fattore attivo'],
  [2, 'Lettore · Scuola/Istruzione · Secondo fattore attivo · 2 passkey'],
])('says who has passkeys: %i', async (passkeys, line) => {
  people = [{ ...ANNA, passkeys }];
  await openPage(<PeopleCard />, answer);
  expect(screen.getByText(line)).toBeInTheDocument();
});
