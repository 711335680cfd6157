/** Why logging in failed, in the words of the product. Must never tell more than the server did. */
import { ApiProblem, NetworkError } from '../../shared/api/errors';
import { messages } from '../../shared/messages';

export type LoginFault =
  /** Nobody has chosen a password yet: nothing that is typed here can work. */
  { kind: 'not-configured' } | { kind: 'refused'; title: string; text?: string };

/** Refusals whose sentence the server writes itself: wrong password, address not allowed, too many attempts. */
const TOLD_BY_SERVER = new Set(['password-non-valida', 'accesso-negato', 'troppi-tentativi']);

export function loginFaultOf(error: unknown): LoginFault {
  if (error instanceof ApiProblem) {
    if (error.slug === 'non-configurato') {
      return { kind: 'not-configured' };
    }
    if (TOLD_BY_SERVER.has(error.slug) && error.detail) {
      return { kind: 'refused', title: error.detail };
    }
    return { kind: 'refused', title: messages.login.failed, ...(error.detail ? { text: error.detail } : {}) };
  }
  if (error instanceof NetworkError) {
    return { kind: 'refused', title: messages.login.failed, text: messages.network };
  }
  return { kind: 'refused', title: messages.login.failed };
}
