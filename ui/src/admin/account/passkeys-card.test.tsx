import { fireEvent, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Passkey } from '../../shared/api/schema';
import { lineDown, noContent, problem, type Request } from '../../shared/testing/server';
import {
  opener,
  plugIn,
  refused,
  sampleAssertion,
  sampleAttestation,
  travelling,
} from '../testing/authenticator';
import { openPage, pass, press, type } from '../testing/panel-page';
import { sampleWho } from '../testing/samples';
import { nameFor } from './add-passkey';
import { PasskeysCard } from './passkeys-card';

const passkey = (changes: Partial<Passkey> = {}): Passkey => ({
  id: 'k1',
  name: 'Telefono',
  created: '2026-11-20T09:00:00Z',
  lastUsed: null,
  opens: true,
  host: 'redazione.example.it',
  ...changes,
});

const who = sampleWho();
let known: { data: Passkey[]; offered: boolean; host: string | null; sealed: boolean };
/** Answers of the calls that change something, the first one first; past them all goes well. */
let refusals: (Response | null)[];

function answer({ method, path }: Request): Response {
  if (method === 'GET') {
    return Response.json(known);
  }
  const refusal = refusals.shift();
  if (refusal) {
    return refusal;
  }
  if (path === '/account/passkeys/question') {
    const options = { challenge: travelling('sfida'), user: { id: travelling('anna') } };
    return Response.json({ question: 'domanda', options });
  }
  return method === 'DELETE' ? noContent() : Response.json(passkey(), { status: 201 });
}

beforeEach(() => {
  known = { data: [], offered: true, host: null, sealed: false };
  refusals = [];
});

const open = () => openPage(<PasskeysCard />, answer, { who });
const settle = () => pass(10);

async function fillIn(name = 'Il mio telefono') {
  await press('Aggiungi una passkey');
  type('Nome della passkey', name);
  type('La tua password', 'una parola');
}
const send = async () => {
  await press('Continua');
  await settle();
};

describe('adding', () => {
  it('asks for password and name, then the device, and tells the server what it said', async () => {
    plugIn({ create: () => Promise.resolve(sampleAttestation(opener('apriti'))) });
    const page = await open();
    await fillIn();
    known.data = [passkey()];
    await send();
    expect(page.changes()).toEqual([
      { method: 'POST', path: '/account/passkeys/question', body: { password: 'una parola' } },
      {
        method: 'POST',
        path: '/account/passkeys',
        body: {
          question: 'domanda',
          name: 'Il mio telefono',
          opens: travelling('apriti'),
          answer: expect.objectContaining({ id: travelling('chiave'), clientExtensionResults: {} }),
        },
      },
    ]);
    expect(screen.getByText('Passkey aggiunta.')).toBeInTheDocument();
    expect(screen.getByRole('list', { name: 'Le tue passkey' })).toHaveTextContent('Telefono');
    expect(screen.queryByLabelText('La tua password')).toBeNull();
  });

  it('says why the device asks twice', async () => {
    let confirm: (made: unknown) => void = () => undefined;
    plugIn({
      create: () => Promise.resolve(sampleAttestation({ enabled: true })),
      get: () => new Promise((resolve) => (confirm = resolve)),
    });
    const page = await open();
    await fillIn();
    await send();
    expect(screen.getByText(/Conferma ancora una volta/)).toBeInTheDocument();
    confirm(sampleAssertion(opener('apriti')));
    await settle();
    expect(page.changes().at(-1)?.body).toMatchObject({ opens: travelling('apriti') });
  });

  it.each([
    ['NotAllowedError', /Hai annullato, è passato troppo tempo, o il dispositivo non ha un blocco schermo/],
    ['InvalidStateError', /c’è già una tua passkey/],
    ['ConstraintError', /Imposta un blocco schermo/],
    ['SecurityError', /non accetta passkey a questo indirizzo/],
    ['UnknownError', /Il browser non è riuscito/],
  ])('keeps what was typed after %s, and says what to do', async (name, told) => {
    plugIn({ create: () => refused(name) });
    const page = await open();
    await fillIn();
    await send();
    expect(screen.getByRole('alert')).toHaveTextContent(told);
    expect(screen.getByLabelText('Nome della passkey')).toHaveValue('Il mio telefono');
    expect(screen.getByLabelText('La tua password')).toHaveValue('una parola');
    expect(page.changes()).toHaveLength(1);
  });

  it('tells a wrong password at its field, before the device is asked', async () => {
    const asked = plugIn();
    refusals = [problem(401, 'password-non-valida', { detail: 'Password sbagliata.' })];
    await open();
    await fillIn();
    await send();
    expect(screen.getByText('Password sbagliata.')).toBeInTheDocument();
    expect(screen.getByLabelText('La tua password')).toHaveFocus();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(asked).toEqual([]);
  });

  it.each([
    ['the line was down', () => lineDown(), /Connessione assente/],
    [
      'the name was refused',
      () => problem(422, 'dati-non-validi', { errors: { name: 'Hai già una passkey con questo nome.' } }),
      /Hai già una passkey/,
    ],
  ])('sends what the device has made again after %s', async (_, refusal, told) => {
    const asked = plugIn({ create: () => Promise.resolve(sampleAttestation()) });
    refusals = [null, refusal()];
    const page = await open();
    await fillIn();
    await send();
    expect(screen.getByText(told)).toBeInTheDocument();
    type('Nome della passkey', 'Telefono nuovo');
    await send();
    expect(asked).toHaveLength(1);
    expect(page.changes().map(({ path }) => path)).toEqual([
      '/account/passkeys/question',
      '/account/passkeys',
      '/account/passkeys',
    ]);
    expect(page.changes().at(-1)?.body).toMatchObject({ question: 'domanda', name: 'Telefono nuovo' });
  });

  it('begins anew after the server has judged it', async () => {
    const asked = plugIn({ create: () => Promise.resolve(sampleAttestation()) });
    const errors = { question: 'È passato troppo tempo: ricomincia.' };
    refusals = [null, problem(422, 'dati-non-validi', { errors })];
    await open();
    await fillIn();
    await send();
    expect(screen.getByRole('alert')).toHaveTextContent('È passato troppo tempo: ricomincia.');
    await send();
    expect(asked).toHaveLength(2);
    expect(screen.getByText('Passkey aggiunta.')).toBeInTheDocument();
  });

  it('wants a name of at most 60 characters', async () => {
    const asked = plugIn();
    const page = await open();
    await fillIn('à'.repeat(61));
    expect(screen.getByText('Al massimo 60 caratteri.')).toBeInTheDocument();
    await send();
    type('Nome della passkey', '  ');
    await send();
    expect(page.changes()).toEqual([]);
    expect(asked).toEqual([]);
  });
});

describe('the proposed name', () => {
  const WINDOWS =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

  it.each([
    [WINDOWS, [], 'Chrome su Windows'],
    [WINDOWS, ['Chrome su Windows', 'Telefono'], 'Chrome su Windows 2'],
    ['', [], 'La mia passkey'],
    ['x'.repeat(300), [], 'x'.repeat(56)],
  ])('of %s beside %j', (userAgent, taken, name) => {
    expect(nameFor(userAgent, taken)).toBe(name);
  });
});

describe('the list', () => {
  const opening = /apre anche l’archivio sigillato/i;
  const closed = /non apre l’archivio sigillato: se è chiuso, ti chiede la password una volta/;

  it('says since when, how lately, and in sealed mode what each opens', async () => {
    plugIn();
    known.data = [
      passkey({ lastUsed: '2026-11-28T10:30:00Z' }),
      passkey({ id: 'k2', name: 'Computer', opens: false }),
    ];
    known.sealed = true;
    const page = await open();
    const [first, second] = screen.getAllByRole('listitem').map((one) => one.textContent);
    expect(first).toMatch(/^TelefonoDal 20\/11\/2026 · ultimo accesso 28\/11\/2026/);
    expect(first).toMatch(opening);
    expect(second).toMatch(/Dal 20\/11\/2026 · mai usata/);
    expect(second).toMatch(closed);
    page.close();
    known.sealed = false;
    await open();
    expect(screen.queryByText(/archivio sigillato/)).toBeNull();
  });

  it('renames, and removes after one question', async () => {
    plugIn();
    known.data = [passkey()];
    const page = await open();
    await press('Rinomina Telefono');
    type('Nome della passkey', ' Telefono di Anna ');
    known.data = [passkey({ name: 'Telefono di Anna' })];
    await press('Salva');
    await settle();
    expect(screen.queryByRole('dialog')).toBeNull();
    await press('Rimuovi Telefono di Anna');
    expect(page.changes()).toHaveLength(1);
    known.data = [];
    await press('Rimuovi', screen.getByRole('dialog'));
    await settle();
    expect(page.changes()).toEqual([
      { method: 'PATCH', path: '/account/passkeys/k1', body: { name: 'Telefono di Anna' } },
      { method: 'DELETE', path: '/account/passkeys/k1', body: undefined },
    ]);
    expect(screen.queryByRole('list', { name: 'Le tue passkey' })).toBeNull();
    expect(screen.getByText('Passkey rimossa: Telefono di Anna')).toBeInTheDocument();
  });

  it('keeps the last way in, in the words of the server', async () => {
    plugIn();
    known.data = [passkey()];
    refusals = [problem(409, 'ultimo-accesso', { detail: 'Prima attiva il secondo fattore.' })];
    await open();
    await press('Rimuovi Telefono');
    await press('Rimuovi', screen.getByRole('dialog'));
    await settle();
    expect(screen.getByRole('alert')).toHaveTextContent('Prima attiva il secondo fattore.');
    expect(screen.getByRole('list', { name: 'Le tue passkey' })).toHaveTextContent('Telefono');
  });

  it('says what to do about a lost telephone', async () => {
    plugIn();
    await open();
    fireEvent.click(screen.getByText('Se perdi il telefono'));
    expect(screen.getByText(/rimuovi qui la passkey/)).toBeInTheDocument();
  });
});

describe('where none can be added', () => {
  const add = () => screen.queryByRole('button', { name: 'Aggiungi una passkey' });

  it('leads to the address where they are valid; those that there are can still be removed', async () => {
    plugIn();
    known = { data: [passkey()], offered: false, host: 'https://redazione.example.it', sealed: false };
    await open();
    expect(add()).toBeNull();
    const link = screen.getByRole('link', { name: 'redazione.example.it' });
    expect(link).toHaveAttribute('href', `https://redazione.example.it${window.location.pathname}`);
    expect(screen.getByRole('button', { name: 'Rimuovi Telefono' })).toBeInTheDocument();
  });

  it('names the setting that is missing', async () => {
    plugIn();
    known.offered = false;
    await open();
    expect(add()).toBeNull();
    expect(screen.getByText('public_url')).toBeInTheDocument();
  });

  it('says that the browser knows none', async () => {
    await open();
    expect(add()).toBeNull();
    expect(screen.getByText(/Questo browser non conosce le passkey/)).toBeInTheDocument();
  });

  it('says to the shared password that it takes a person, without asking the server', async () => {
    plugIn();
    const page = await openPage(<PasskeysCard />, answer, { who: null });
    expect(add()).toBeNull();
    expect(screen.getByRole('link', { name: 'Persone' })).toHaveAttribute(
      'href',
      '/admin/settings/security/people',
    );
    expect(page.requests).toEqual([]);
  });
});
