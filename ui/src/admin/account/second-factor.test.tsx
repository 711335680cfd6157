import { cleanup, fireEvent, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { problem, type Request } from '../../shared/testing/server';
import { plugIn, sampleAttestation, travelling } from '../testing/authenticator';
import { openPage, pass } from '../testing/panel-page';
import { sampleWho } from '../testing/samples';
import { SecondFactorCard, SecondFactorFirst } from './second-factor';

vi.mock('uqr', () => ({ encode: () => ({ data: [[true, false]], size: 2 }) }));

let refusal: Response | null;
const codes = Array.from({ length: 10 }, (_, n) => `codice-${n}`);

function answer({ path, body }: Request): Response {
  if (path !== '/account/totp') {
    return new Response(null, { status: 204 });
  }
  const { secret } = body as { secret: string | null };
  if (secret === null) {
    return Response.json({
      secret: 'JBSWY3DP',
      uri: 'otpauth://totp/Prova:anna?secret=JBSWY3DP',
    });
  }
  return refusal ?? Response.json({ recoveryCodes: codes });
}

beforeEach(() => {
  refusal = null;
});
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

it('is proven by code and password before it counts; the ten codes stay until they were kept', async () => {
  const page = await openPage(<SecondFactorCard who={sampleWho()} />, answer, { who: sampleWho() });
  press('Attiva il secondo fattore');
  await pass(10);
  expect(screen.getByRole('img', { name: /QR/ })).toBeInTheDocument();
  fireEvent.change(screen.getByLabelText('Codice che vedi nell’app'), { target: { value: '123 456' } });
  fireEvent.change(screen.getByLabelText('La tua password'), { target: { value: 'una parola' } });
  refusal = problem(422, 'dati-non-validi', { errors: { code: 'Codice sbagliato.' } });
  press('Attiva');
  await pass(10);
  expect(screen.getByText('Codice sbagliato.')).toBeInTheDocument();
  expect(screen.getByLabelText('Codice che vedi nell’app')).toHaveFocus();
  expect(screen.queryByRole('alert')).toBeNull();
  refusal = null;
  press('Attiva');
  await pass(10);
  const body = { secret: 'JBSWY3DP', code: '123456', password: 'una parola' };
  expect(page.changes().at(-1)?.body).toEqual(body);
  await page.session.stay();
  await pass(10);
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual(codes);
  expect(screen.getByText('Secondo fattore attivo.').closest('p')).toHaveFocus();
  const leave = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  expect(leave()).toBe(false);
  screen.getByRole('button', { name: 'Li ho conservati' }).focus();
  press('Li ho conservati');
  await pass(0);
  expect(screen.getByRole('region', { name: 'Secondo fattore' })).toHaveFocus();
  expect(screen.queryByRole('listitem')).toBeNull();
  expect(leave()).toBe(true);
});

describe('where the second factor is demanded', () => {
  const known = { data: [], offered: true, host: null, sealed: false };
  const first = async (passkeys: object) => {
    const done = vi.fn(() => Promise.resolve());
    await openPage(<SecondFactorFirst onDone={done} />, (request) => {
      switch (`${request.method} ${request.path}`) {
        case 'GET /account/passkeys':
          return Response.json(passkeys);
        case 'POST /account/passkeys/question':
          return Response.json({
            question: 'domanda',
            options: { challenge: travelling('sfida'), user: { id: travelling('anna') } },
          });
        case 'POST /account/passkeys':
          return Response.json({}, { status: 201 });
        default:
          return answer(request);
      }
    });
    return done;
  };

  it('a passkey does as well', async () => {
    plugIn({ create: () => Promise.resolve(sampleAttestation()) });
    const done = await first(known);
    press('Aggiungi una passkey');
    expect(screen.queryByRole('img', { name: /QR/ })).toBeNull();
    fireEvent.change(screen.getByLabelText('La tua password'), { target: { value: 'una parola' } });
    press('Continua');
    await pass(10);
    expect(done).toHaveBeenCalledOnce();
  });

  it('the app is a way back, and the only one where no passkey can be made', async () => {
    plugIn();
    await first(known);
    press('Aggiungi una passkey');
    press('Annulla');
    await pass(10);
    expect(screen.getByRole('img', { name: /QR/ })).toBeInTheDocument();
    cleanup();
    await first({ ...known, offered: false });
    expect(screen.getByRole('img', { name: /QR/ })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Aggiungi una passkey' })).toBeNull();
  });
});
