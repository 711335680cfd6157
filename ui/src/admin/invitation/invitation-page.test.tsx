import { fireEvent, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { beforeEach, expect, it } from 'vitest';
import { lineDown, noContent, problem, type Request, serve } from '../../shared/testing/server';
import { BrandingProvider } from '../common/branding';
import { SessionProvider } from '../common/session/session-context';
import { sampleBranding, sampleSession, sampleWho } from '../testing/samples';
import { InvitationPage } from './invitation-page';

let calls: Request[];
let answers: Response[];

beforeEach(() => {
  calls = serve(() => answers.shift() ?? lineDown());
});

function open(hash: string) {
  const session = sampleSession(sampleWho());
  const routes = [
    { path: '/invito', element: <InvitationPage /> },
    { path: '/admin', element: <p>dentro</p> },
    { path: '/login', element: <p>login</p> },
  ];
  const router = createMemoryRouter(routes, { initialEntries: [`/invito${hash}`] });
  render(
    <BrandingProvider branding={sampleBranding}>
      <SessionProvider value={session}>
        <RouterProvider router={router} />
      </SessionProvider>
    </BrandingProvider>,
  );
  return router;
}

it('says who is invited, takes the token out of the address, and lets in', async () => {
  const weak = problem(422, 'dati-non-validi', { errors: { password: 'Troppo comune.' } });
  const invited = { name: 'Anna Rossi', user: 'anna.rossi' };
  answers = [Response.json(invited), weak, noContent()];
  const router = open('#gettone');
  expect(await screen.findByRole('heading', { name: 'Ciao Anna Rossi' })).toBeInTheDocument();
  expect(router.state.location.hash).toBe('');
  expect(screen.getByLabelText('Nome utente')).toHaveValue('anna.rossi');
  for (const label of ['Nuova password', 'Ripeti la password']) {
    fireEvent.change(screen.getByLabelText(label), { target: { value: 'quattro cavalli' } });
  }
  fireEvent.click(screen.getByRole('button', { name: 'Entra nel pannello' }));
  expect(await screen.findByText('Troppo comune.')).toBeInTheDocument();
  fireEvent.click(screen.getByRole('button', { name: 'Entra nel pannello' }));
  expect(await screen.findByText('dentro')).toBeInTheDocument();
  const body = { token: 'gettone', password: 'quattro cavalli' };
  expect(calls.map((call) => [call.path, call.body])).toEqual([
    ['/invitations/open', { token: 'gettone' }],
    ['/invitations', body],
    ['/invitations', body],
  ]);
});

it.each([
  ['#speso', [problem(404, 'invito-non-valido')]],
  ['', []],
])('says what to do with a link that opens nothing: %j', async (hash, given) => {
  answers = given;
  open(hash);
  expect(await screen.findByRole('heading', { name: 'Invito non valido' })).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Vai all’accesso' })).toHaveAttribute('href', '/login');
});
