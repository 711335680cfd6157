import { fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { problem, type Request } from '../../shared/testing/server';
import { openPage, pass, type } from '../testing/panel-page';
import { sampleWho } from '../testing/samples';
import { hoursOf, NoticesCard } from './notices-card';

let email: string;
let refusal: Response | null;

function answer({ method, path }: Request): Response {
  if (method === 'GET') {
    return Response.json({ email, notices: { hours: ['08:00'], urgent: false } });
  }
  if (path === '/account/email') {
    email = 'anna@esempio.it';
  }
  return refusal ?? new Response(null, { status: 204 });
}

beforeEach(() => {
  email = '';
  refusal = null;
});
const open = (address = '/') => openPage(<NoticesCard />, answer, { who: sampleWho(), address });
const save = async () => {
  fireEvent.click(screen.getByRole('button', { name: 'Salva gli avvisi' }));
  await pass(10);
};

it('saves hours as people write them, and says that a new address waits for its link', async () => {
  const page = await open();
  type('La tua email', ' anna@esempio.it ');
  type('A che ora', '8, 14.30');
  fireEvent.click(screen.getByRole('switch'));
  await save();
  expect(page.changes().at(-1)).toEqual({
    method: 'PUT',
    path: '/account',
    body: { email: 'anna@esempio.it', notices: { hours: ['08:00', '14:30'], urgent: true } },
  });
  expect(screen.getByText(/Abbiamo scritto a anna@esempio.it/)).toBeInTheDocument();
  expect(hoursOf('presto')).toEqual(['presto']);
});

it('shows a refusal at its field', async () => {
  await open();
  refusal = problem(422, 'dati-non-validi', { errors: { notices: 'Scrivi ogni orario come 08:00.' } });
  await save();
  expect(screen.getByLabelText('A che ora')).toHaveAccessibleDescription(/Scrivi ogni orario come 08:00/);
});

it('confirms the address when its link was followed', async () => {
  const page = await open('/?email=parola');
  await pass(200);
  expect(page.changes()).toEqual([{ method: 'POST', path: '/account/email', body: { token: 'parola' } }]);
  expect(screen.getByText('Indirizzo confermato.')).toBeInTheDocument();
  expect(screen.getByLabelText('La tua email')).toHaveValue('anna@esempio.it');
});
