/** The three steps of the first set-up and how each can fail. Must keep password and code in memory only. */
import { call } from '../../shared/api/client';
import { ApiProblem } from '../../shared/api/errors';
import { isProblem } from '../common/errors';

export type SetupStep =
  | { name: 'password'; fieldError?: string }
  | { name: 'code'; password: string; recoveryCode: string }
  | { name: 'confirm'; password: string; recoveryCode: string; fieldError?: string }
  /** The link is missing, used up, too old or cut. */
  | { name: 'bad-link' }
  /** Somebody has chosen a password in the meantime. */
  | { name: 'already' }
  | { name: 'done' };

/** Where a failed call leads; null when it says nothing about the set-up itself and may be tried again. */
function stepAfterFailure(error: unknown): SetupStep | null {
  if (isProblem(error, 'link-non-valido')) {
    return { name: 'bad-link' };
  }
  return isProblem(error, 'gia-configurato') ? { name: 'already' } : null;
}

/** Sends the new password for judgement and receives the recovery code. Rejects when trying again can help. */
export async function choosePassword(token: string, password: string): Promise<SetupStep> {
  try {
    const { recoveryCode } = await call('post', '/setup/recovery-code', { body: { token, password } });
    return { name: 'code', password, recoveryCode };
  } catch (error) {
    if (error instanceof ApiProblem && error.errors.password) {
      return { name: 'password', fieldError: error.errors.password };
    }
    const next = stepAfterFailure(error);
    if (next) {
      return next;
    }
    throw error;
  }
}

/** Finishes the set-up with the code as it was typed back. Rejects when trying again can help. */
export async function finishSetup(
  token: string,
  step: { password: string; recoveryCode: string },
  typed: string,
): Promise<SetupStep> {
  const { password, recoveryCode } = step;
  try {
    await call('post', '/setup', { body: { token, password, recoveryCode: typed.trim() } });
    return { name: 'done' };
  } catch (error) {
    if (error instanceof ApiProblem && error.errors.recoveryCode) {
      return { name: 'confirm', password, recoveryCode, fieldError: error.errors.recoveryCode };
    }
    if (error instanceof ApiProblem && error.errors.password) {
      return { name: 'password', fieldError: error.errors.password };
    }
    const next = stepAfterFailure(error);
    if (next) {
      return next;
    }
    throw error;
  }
}
