import { fireEvent, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiProblem } from '../../shared/api/errors';
import { lineDown, noContent, on, problem } from '../../shared/testing/server';
import { BrandingProvider } from '../common/branding';
import { SessionProvider } from '../common/session/session-context';
import { SessionStore } from '../common/session/session-store';
import { sampleBranding } from '../testing/samples';
import { LoginPage } from './login-page';

function open(boot: object, address = '/login') {
  const block = document.createElement('script');
  block.id = 'boot';
  block.type = 'application/json';
  block.textContent = JSON.stringify(boot);
  document.head.append(block);
  const session = new SessionStore({
    read: () =>
      Promise.reject(new ApiProblem({ status: 401, type: 'urn:segnalazioni:problem:non-autenticato' })),
    end: () => Promise.resolve(),
    tell: () => undefined,
  });
  render(
    <BrandingProvider branding={sampleBranding}>
      <SessionProvider value={session}>
        <MemoryRouter initialEntries={[address]}>
          <LoginPage />
        </MemoryRouter>
      </SessionProvider>
    </BrandingProvider>,
  );
}

beforeEach(() => localStorage.clear());
beforeEach(() => {
  on('post', '/session/passkey/question', () => ({ question: null, options: null, host: null }));
});
afterEach(() => document.getElementById('boot')?.remove());

describe('the hint of the demonstration', () => {
  it('shows the password and fills it in', async () => {
    open({ branding: sampleBranding, demoPassword: 'parola di prova' });
    expect(await screen.findByText('Modalità dimostrativa')).toBeInTheDocument();
    expect(screen.getByText('parola di prova')).toBeInTheDocument();
    const box = screen.getByLabelText('Password');
    expect(box).toHaveValue('');
    fireEvent.click(screen.getByRole('button', { name: 'Inserisci la password' }));
    expect(box).toHaveValue('parola di prova');
    expect(box).toHaveFocus();
    expect(screen.getByRole('button', { name: 'Accedi al Pannello' })).not.toHaveAttribute('aria-disabled');
  });

  it.each([{ demoPassword: null }, {}])('is absent from a real newsroom: %o', async (boot) => {
    open({ branding: sampleBranding, ...boot });
    expect(await screen.findByLabelText('Password')).toBeInTheDocument();
    expect(screen.queryByText('Modalità dimostrativa')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Inserisci la password' })).toBeNull();
  });
});

it('sends the token of a login link along', async () => {
  const sent = on('post', '/session', () => problem(401, 'password-non-valida'));
  open({ branding: sampleBranding }, '/login#gettone');
  fireEvent.change(await screen.findByLabelText('Password'), { target: { value: 'una parola' } });
  fireEvent.click(screen.getByRole('button', { name: 'Accedi al Pannello' }));
  await screen.findByRole('alert');
  expect(sent[0]?.body).toEqual({ password: 'una parola', link: 'gettone' });
});

it('says so where the browser has not kept the cookie of a right login', async () => {
  on('post', '/session', noContent);
  open({ branding: sampleBranding });
  fireEvent.change(await screen.findByLabelText('Password'), { target: { value: 'una parola' } });
  fireEvent.click(screen.getByRole('button', { name: 'Accedi al Pannello' }));
  expect(await screen.findByRole('alert')).toHaveTextContent(/cookie di accesso.*Consenti i cookie/);
});

describe('a failed login', () => {
  const refuse = async (status: number, slug: string, detail: string) => {
    on('post', '/session', () => problem(status, slug, { detail }));
    open({ branding: sampleBranding });
    fireEvent.change(await screen.findByLabelText('Password'), { target: { value: 'una parola' } });
    fireEvent.click(screen.getByRole('button', { name: 'Accedi al Pannello' }));
    return screen.findByRole('alert');
  };

  it.each([
    [401, 'password-non-valida', 'Password non valida'],
    [403, 'accesso-negato', 'Accesso negato: IP non autorizzato'],
    [429, 'troppi-tentativi', 'Troppi tentativi di login. Riprova tra 14 minuti.'],
  ])('%i tells the sentence of the server', async (status, slug, detail) => {
    expect(await refuse(status, slug, detail)).toHaveTextContent(detail);
    expect(screen.getByLabelText('Password')).toHaveFocus();
  });

  it('explains a panel that has no password yet', async () => {
    expect(await refuse(503, 'non-configurato', 'x')).toHaveTextContent('apri il link');
  });

  it('is an authentication error in every other case', async () => {
    expect(await refuse(500, 'errore-interno', 'Guasto')).toHaveTextContent('Errore di autenticazioneGuasto');
  });
});

it('says that no server answers, and keeps what was typed', async () => {
  on('post', '/session', lineDown);
  open({ branding: sampleBranding });
  fireEvent.change(await screen.findByLabelText('Password'), { target: { value: 'una parola' } });
  fireEvent.click(screen.getByRole('button', { name: 'Accedi al Pannello' }));
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'Connessione assente. Controlla la rete e riprova.',
  );
  expect(screen.getByLabelText('Password')).toHaveValue('una parola');
});

describe('a login by name', () => {
  const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
  const type = (label: string, value: string) =>
    fireEvent.change(screen.getByLabelText(label), { target: { value } });

  it('asks for the second factor in its turn, and says when a code was wrong', async () => {
    const sent = on('post', '/session', ({ body: { code } }) =>
      problem(401, 'secondo-fattore', { detail: code ? 'Codice non valido.' : 'Serve il codice.' }),
    );
    open({ branding: sampleBranding });
    press('Accedi con il tuo nome utente');
    type('Nome utente', ' anna.rossi ');
    type('Password', 'una parola');
    press('Accedi al Pannello');
    const box = await screen.findByLabelText('Codice di verifica');
    await vi.waitFor(() => expect(box).toHaveFocus());
    expect(box).toHaveAttribute('autocomplete', 'one-time-code');
    expect(screen.queryByRole('alert')).toBeNull();
    type('Codice di verifica', '123456');
    press('Accedi al Pannello');
    expect(await screen.findByText('Codice non valido.')).toBeInTheDocument();
    press('Non hai il telefono? Usa un codice di recupero');
    type('Codice di recupero', 'bcdf-ghjk');
    press('Accedi al Pannello');
    await vi.waitFor(() => expect(sent).toHaveLength(3));
    const who = { user: 'anna.rossi', password: 'una parola' };
    expect(sent.map(({ body }) => body)).toEqual([
      who,
      { ...who, code: '123456' },
      { ...who, code: 'bcdf-ghjk' },
    ]);
  });
});
