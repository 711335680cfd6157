import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { DepartmentList } from '../../shared/api/schema';
import { lineDown, problem, type Request } from '../../shared/testing/server';
import { openPage, pass, press, type } from '../testing/panel-page';
import { sampleDepartment, sampleDepartments } from '../testing/samples';
import { DepartmentsCard } from './departments-card';

let list: DepartmentList;
let refusal: (() => Response) | null;

const CRONACA = sampleDepartment({
  key: 'cronaca',
  name: 'Cronaca',
  email: 'cronaca@esempio.example, capo@esempio.example',
  keywords: 'incendio, furto',
  reports: 12,
});
const SPORT = sampleDepartment({ key: 'sport', name: 'Sport', matter: 'lavoro' });
const GENERALE = sampleDepartment({ name: 'Desk centrale', reports: 1 });

function answer({ method, path }: Request): Response {
  if (method !== 'GET' && refusal) {
    return refusal();
  }
  if (path === '/callouts') {
    return Response.json({ data: [{ title: 'Affitti', department: 'cronaca' }] });
  }
  if (path === '/people') {
    const anna = { name: 'Anna Rossi', departments: ['cronaca', 'sport'] };
    return Response.json({ data: [anna, { name: 'Bruno Neri', departments: [] }] });
  }
  if (path === '/views') {
    const own = { name: 'Roghi', query: 'stato=Nuova&department=cronaca' };
    return Response.json({ data: [own, { name: 'Gol', query: 'department=sport' }] });
  }
  if (method === 'DELETE') {
    list = { ...list, data: [SPORT, GENERALE], moving: 12 };
    return Response.json({ moving: 12 }, { status: 202 });
  }
  return Response.json(list);
}

const open = () => openPage(<DepartmentsCard />, answer, { departments: list });
const entries = () => within(screen.getByRole('list', { name: 'Reparti' })).getAllByRole('listitem');

beforeEach(() => {
  list = sampleDepartments({ data: [CRONACA, SPORT, GENERALE] });
  refusal = null;
});

it('lists them in order with what they have, and leaves the last one its place', async () => {
  list.data[1] = { ...SPORT, name: 'N'.repeat(40) };
  await open();
  expect(entries().map((entry) => entry.textContent)).toEqual([
    expect.stringMatching(/^Cronaca2 destinatari · 2 parole chiave · 12 segnalazioni/),
    expect.stringMatching(/^N{40}Lavoro e sfruttamento · nessuna email · 0 parole chiave · 0 segnalazioni/),
    expect.stringMatching(/^Desk centrale1 segnalazione/),
  ]);
  expect(screen.getByTitle('N'.repeat(40))).toHaveTextContent(/^N+$/);
  const last = within(entries()[2] as HTMLElement);
  expect(last.getAllByRole('button').map((one) => one.textContent)).toEqual(['Modifica Desk centrale']);
  await press('Modifica Desk centrale');
  expect(within(screen.getByRole('dialog')).getAllByRole('textbox')).toHaveLength(1);
});

it('is moved by its buttons and by drag, on the version that was read', async () => {
  const page = await open();
  expect(screen.getByRole('button', { name: 'Sposta su Cronaca' })).toHaveAttribute('aria-disabled', 'true');
  list = { ...list, data: [SPORT, CRONACA, GENERALE], version: 8 };
  await press('Sposta giù Cronaca');
  await pass(0);
  expect(screen.getByRole('button', { name: 'Sposta giù Cronaca' })).toHaveFocus();
  const [first, second] = entries() as [HTMLElement, HTMLElement];
  list = { ...list, data: [CRONACA, SPORT, GENERALE], version: 9 };
  fireEvent.dragStart(within(second).getByTitle('Trascina per cambiare posto'));
  expect(fireEvent.dragOver(first)).toBe(false);
  expect(fireEvent.dragOver(entries()[2] as HTMLElement)).toBe(true);
  fireEvent.drop(first);
  await pass(0);
  expect(page.changes()).toEqual([
    { method: 'PUT', path: '/departments/order', body: { keys: ['sport', 'cronaca'] } },
    { method: 'PUT', path: '/departments/order', body: { keys: ['cronaca', 'sport'] } },
  ]);
  const tags = page.requests
    .filter(({ method }) => method === 'PUT')
    .map(({ headers }) => headers.get('if-match'));
  expect(tags).toEqual(['"7"', '"8"']);
});

it('is added with what it needs, and a refusal stands at its field', async () => {
  const page = await open();
  await press('Aggiungi un reparto');
  type('Nome', 'Esteri');
  type('Email', 'esteri@esempio.example');
  fireEvent.blur(screen.getByLabelText('Email'));
  type('Di che cosa si occupa', 'corruzione');
  type('Parole chiave', 'ambasciata, consolato');
  fireEvent.blur(screen.getByLabelText('Parole chiave'));
  refusal = () =>
    problem(422, 'dati-non-validi', { errors: { name: 'C’è già un reparto con questo nome.' } });
  await press('Aggiungi il reparto');
  expect(screen.getByLabelText('Nome')).toHaveAccessibleDescription(/C’è già un reparto/);
  expect(screen.getByLabelText('Nome')).toHaveFocus();
  refusal = null;
  await press('Aggiungi il reparto');
  expect(page.changes().at(-1)?.body).toEqual({
    name: 'Esteri',
    email: 'esteri@esempio.example',
    keywords: 'ambasciata, consolato',
    matter: 'corruzione',
  });
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('is saved at one press with what was typed and not added yet', async () => {
  const page = await open();
  await press('Modifica Sport');
  screen.getByLabelText('Email').focus();
  type('Email', 'sport@esempio.example');
  await press('Salva');
  expect(page.changes()).toEqual([
    { method: 'PATCH', path: '/departments/sport', body: { email: 'sport@esempio.example' } },
  ]);
});

it('says why there can be no more', async () => {
  const many = Array.from({ length: 24 }, (_, at) => ({ ...SPORT, key: `r${at}`, name: `Reparto ${at}` }));
  list = { ...list, data: [...many, GENERALE] };
  await open();
  expect(screen.getByRole('button', { name: 'Aggiungi un reparto' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  expect(screen.getByText(/Sono già 24: per aggiungerne uno/)).toBeInTheDocument();
});

it('is changed in what differs alone; no matter is null', async () => {
  const page = await open();
  await press('Modifica Sport');
  type('Nome', 'Sport e salute');
  type('Di che cosa si occupa', '');
  await press('Salva');
  expect(page.changes()).toEqual([
    { method: 'PATCH', path: '/departments/sport', body: { name: 'Sport e salute', matter: null } },
  ]);
});

it('is removed after a question, and its reports are seen on their way', async () => {
  const page = await open();
  await press('Togli Cronaca');
  await pass(0);
  const dialog = within(screen.getByRole('dialog', { name: 'Togliere Cronaca?' }));
  expect(dialog.getByRole('button', { name: 'Annulla' })).toHaveFocus();
  expect(
    dialog.getByText(/Lo nominano: l’inchiesta «Affitti», Anna Rossi, il filtro «Roghi»\./),
  ).toBeInTheDocument();
  const heirs = within(dialog.getByLabelText('Le sue segnalazioni (12) vanno a')).getAllByRole('option');
  expect(heirs.map(({ textContent }) => textContent)).toEqual(['Sport', 'Desk centrale']);
  refusal = () => problem(409, 'conflitto', { detail: 'Vede solo questo reparto: Anna Rossi.' });
  await press('Togli');
  expect(screen.getByRole('alert')).toHaveTextContent('Vede solo questo reparto: Anna Rossi.');
  refusal = null;
  type('Le sue segnalazioni (12) vanno a', 'sport');
  await press('Togli');
  expect(page.requests.find(({ method }) => method === 'DELETE')?.path).toBe(
    '/departments/cronaca?to=generale',
  );
  expect(page.changes().at(-1)?.path).toBe('/departments/cronaca?to=sport');
  await pass(0);
  expect(screen.queryByRole('dialog')).toBeNull();
  const told = screen.getByText(/12 segnalazioni stanno passando/);
  expect(told.closest('[role="status"]')).not.toBeNull();
  list = { ...list, moving: 0 };
  await pass(1100);
  await pass(0);
  expect(screen.queryByText(/stanno passando/)).toBeNull();
});

it('says that the list could not be read, and reads it again', async () => {
  let down = true;
  await openPage(<DepartmentsCard />, (request) => (down ? lineDown() : answer(request)), {
    departments: null,
  });
  expect(screen.getByRole('alert')).toHaveTextContent('Non è stato possibile leggere i reparti');
  down = false;
  await press('Riprova');
  expect(entries()).toHaveLength(3);
});
