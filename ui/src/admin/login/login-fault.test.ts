import { describe, expect, it } from 'vitest';
import { ApiProblem, NetworkError } from '../../shared/api/errors';
import { loginFaultOf } from './login-page';

const problem = (status: number, slug: string, detail: string) =>
  new ApiProblem({ status, type: `urn:segnalazioni:problem:${slug}`, detail });

describe('a failed login', () => {
  it.each([
    [401, 'password-non-valida', 'Password non valida'],
    [403, 'accesso-negato', 'Accesso negato: IP non autorizzato'],
    [429, 'troppi-tentativi', 'Troppi tentativi di login. Riprova tra 14 minuti.'],
  ])('%i tells the sentence of the server', (status, slug, detail) => {
    expect(loginFaultOf(problem(status, slug, detail))).toEqual({ kind: 'refused', title: detail });
  });

  it('explains a panel that has no password yet', () => {
    expect(loginFaultOf(problem(503, 'non-configurato', 'x'))).toEqual({ kind: 'not-configured' });
  });

  it('is an authentication error in every other case', () => {
    for (const error of [
      problem(500, 'errore-interno', 'Guasto'),
      new NetworkError(false, null),
      new Error('x'),
    ]) {
      expect(loginFaultOf(error)).toMatchObject({ kind: 'refused', title: 'Errore di autenticazione' });
    }
  });
});
