import { act, fireEvent, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ApiProblem } from '../../shared/api/errors';
import { arrivals, noContent, on, problem } from '../../shared/testing/server';
import { BrandingProvider } from '../common/branding';
import type { AnyObject } from '../common/passkeys/ceremony';
import { SessionProvider } from '../common/session/session-context';
import { SessionStore } from '../common/session/session-store';
import { opener, plugIn, refused, sampleAssertion, travelling, waits } from '../testing/authenticator';
import { sampleBranding, sampleWho } from '../testing/samples';
import { LoginPage } from './login-page';

const MINUTE = 60_000;
const asked: object = { challenge: travelling('sfida'), rpId: 'localhost', timeout: 300_000 };
const options = asked as AnyObject;
let questions = 0;
let inside: boolean;

beforeEach(() => {
  questions = 0;
  inside = false;
  localStorage.clear();
  vi.useFakeTimers();
  const block = document.createElement('script');
  block.id = 'boot';
  block.type = 'application/json';
  block.textContent = JSON.stringify({ branding: sampleBranding });
  document.head.append(block);
});
afterEach(() => document.getElementById('boot')?.remove());

const pass = (ms = 0) =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
    await arrivals();
  });

const offers = () =>
  on('post', '/session/passkey/question', () => {
    questions += 1;
    return { question: `domanda-${questions}`, options, host: null };
  });

const enters = () =>
  on('post', '/session/passkey', () => {
    inside = true;
    return noContent();
  });

async function open(address = '/login') {
  const nobody = new ApiProblem({ status: 401, type: 'urn:segnalazioni:problem:non-autenticato' });
  const lasting = () => ({
    endsAt: Date.now() + 60 * MINUTE,
    idleMs: 60 * MINUTE,
    who: sampleWho(),
    locked: false,
  });
  const session = new SessionStore({
    read: () => (inside ? Promise.resolve(lasting()) : Promise.reject(nobody)),
    end: () => Promise.resolve(),
    tell: () => undefined,
  });
  await session.check();
  const routes = [
    { path: '/login', element: <LoginPage /> },
    { path: '/admin', element: <p>dentro</p> },
  ];
  const router = createMemoryRouter(routes, { initialEntries: [address] });
  const view = render(
    <BrandingProvider branding={sampleBranding}>
      <SessionProvider value={session}>
        <RouterProvider router={router} />
      </SessionProvider>
    </BrandingProvider>,
  );
  onTestFinished(() => view.unmount());
  // The question, then the part of the page that it calls for.
  await pass(10);
  await import('./passkey-way');
  await pass(10);
}

const button = () => screen.queryByRole('button', { name: 'Accedi con una passkey' });
const press = async () => {
  fireEvent.click(screen.getByRole('button', { name: 'Accedi con una passkey' }));
  await pass(10);
};

describe('the button', () => {
  it('logs in, and hands on what opens the archive and the login link', async () => {
    plugIn({ get: () => Promise.resolve(sampleAssertion(opener('apriti'))) });
    offers();
    const sent = enters();
    await open('/login#gettone');
    await press();
    expect(sent.map(({ body }) => body)).toEqual([
      {
        question: 'domanda-1',
        answer: expect.objectContaining({ id: travelling('chiave') }),
        opens: travelling('apriti'),
        link: 'gettone',
      },
    ]);
    expect(screen.getByText('dentro')).toBeInTheDocument();
  });

  it.each([
    ['NotAllowedError', /Hai annullato, è passato troppo tempo, o qui non c’è/],
    ['SecurityError', /non accetta passkey a questo indirizzo/],
    ['OperationError', /Il browser non è riuscito/],
  ])('says what to do after %s, keeps what was typed, and works again', async (name, told) => {
    let refuses = true;
    plugIn({ get: () => (refuses ? refused(name) : Promise.resolve(sampleAssertion())) });
    offers();
    const sent = enters();
    await open();
    fireEvent.change(screen.getByLabelText('Password'), { target: { value: 'mezza par' } });
    await press();
    expect(screen.getByRole('alert')).toHaveTextContent(told);
    expect(screen.getByLabelText('Password')).toHaveValue('mezza par');
    expect(sent).toEqual([]);
    refuses = false;
    await press();
    expect(sent.map(({ body: { question, opens } }) => [question, opens])).toEqual([['domanda-1', null]]);
  });

  it('tells the refusal of the server, and asks for another question: each serves once', async () => {
    plugIn({ get: () => Promise.resolve(sampleAssertion()) });
    offers();
    const sent = on('post', '/session/passkey', () =>
      problem(401, 'passkey-non-valida', { detail: 'Passkey non riconosciuta.' }),
    );
    await open();
    await press();
    expect(screen.getByRole('alert')).toHaveTextContent('Passkey non riconosciuta.');
    await press();
    expect(sent.map(({ body }) => body.question)).toEqual(['domanda-1', 'domanda-2']);
  });

  it('never asks the browser with a question that the server is about to forget', async () => {
    const asked = plugIn({ get: () => Promise.resolve(sampleAssertion()) });
    offers();
    const sent = enters();
    await open();
    await pass(4 * MINUTE);
    expect(questions).toBe(1);
    await pass(MINUTE);
    expect(questions).toBe(2);
    await pass(2 * MINUTE);
    await press();
    expect(sent[0]?.body.question).toBe('domanda-2');
    expect(asked[0]?.publicKey.timeout).toBeLessThan(3 * MINUTE);
  });
});

describe('autofill', () => {
  it('waits beside the fields, and logs in by what is chosen there', async () => {
    let choose: (made: unknown) => void = () => undefined;
    const asked = plugIn({
      conditional: true,
      get: () => new Promise((resolve) => (choose = resolve)),
    });
    offers();
    const sent = enters();
    await open();
    expect(screen.getByLabelText('Password')).toHaveAttribute('autocomplete', 'current-password webauthn');
    expect(asked.map(({ mediation }) => mediation)).toEqual(['conditional']);
    choose(sampleAssertion());
    await pass(10);
    expect(sent.map(({ body }) => body.question)).toEqual(['domanda-1']);
    expect(screen.getByText('dentro')).toBeInTheDocument();
  });

  it('steps aside for the button and for the password, and waits again when they fail', async () => {
    on('post', '/session', () => problem(401, 'password-non-valida'));
    const asked = plugIn({
      conditional: true,
      get: (one) => (one.mediation ? waits(one) : refused('NotAllowedError')),
    });
    offers();
    await open();
    await press();
    expect(asked.map(({ mediation, signal }) => [mediation, signal?.aborted])).toEqual([
      ['conditional', true],
      [undefined, false],
      ['conditional', false],
    ]);
    fireEvent.change(screen.getByLabelText('Password'), { target: { value: 'una parola' } });
    fireEvent.click(screen.getByRole('button', { name: 'Accedi al Pannello' }));
    await pass(0);
    expect(asked[2]?.signal?.aborted).toBe(true);
    await pass(1000);
    expect(asked.at(-1)?.signal?.aborted).toBe(false);
    expect(screen.getByRole('alert')).toHaveTextContent('password-non-valida');
  });

  it('offers nothing by itself any more once the server refused what was chosen', async () => {
    const asked = plugIn({ conditional: true, get: () => Promise.resolve(sampleAssertion()) });
    offers();
    const sent = on('post', '/session/passkey', () =>
      problem(401, 'passkey-non-valida', { detail: 'Passkey non riconosciuta.' }),
    );
    await open();
    await pass(10_000);
    expect(asked.map(({ mediation }) => mediation)).toEqual(['conditional']);
    await press();
    expect(sent).toHaveLength(2);
    expect(screen.getByRole('alert')).toHaveTextContent('Passkey non riconosciuta.');
  });

  it('waits with a new question before the old one ends', async () => {
    const asked = plugIn({ conditional: true });
    offers();
    await open();
    await pass(5 * MINUTE);
    expect(asked.map(({ signal }) => signal?.aborted)).toEqual([true, false]);
    expect(questions).toBe(2);
  });

  it('says so when the chosen passkey was not confirmed, but never insists on what fails at once', async () => {
    let refuse: (error: unknown) => void = () => undefined;
    const asked = plugIn({
      conditional: true,
      get: () => new Promise((_, reject) => (refuse = reject)),
    });
    offers();
    await open();
    await pass(2000);
    refuse(new DOMException('no', 'NotAllowedError'));
    await pass(10);
    expect(screen.getByRole('alert')).toHaveTextContent('Hai annullato');
    expect(asked).toHaveLength(2);
    refuse(new DOMException('no', 'NotAllowedError'));
    await pass(10);
    expect(asked).toHaveLength(2);
  });
});

describe('where there is no passkey to use', () => {
  it('the page is as it always was', async () => {
    plugIn();
    on('post', '/session/passkey/question', () => ({ question: null, options: null, host: null }));
    await open();
    expect(button()).toBeNull();
    expect(screen.queryByText(/passkey/i)).toBeNull();
    expect(screen.getByLabelText('Password')).toHaveAttribute('autocomplete', 'current-password');
  });

  it('it is as it always was when nobody answers', async () => {
    plugIn();
    on('post', '/session/passkey/question', () => problem(500, 'errore-interno'));
    await open();
    expect(button()).toBeNull();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('a browser that knows none says so', async () => {
    offers();
    await open();
    expect(button()).toBeNull();
    expect(
      screen.getByText('Questo browser non conosce le passkey: accedi con la password.'),
    ).toBeInTheDocument();
  });

  it('another address leads to the right one', async () => {
    plugIn();
    const host = 'https://redazione.example.it';
    on('post', '/session/passkey/question', () => ({ question: null, options: null, host }));
    await open();
    expect(button()).toBeNull();
    const link = screen.getByRole('link', { name: 'redazione.example.it' });
    expect(link).toHaveAttribute('href', `${host}${window.location.pathname}`);
  });
});
