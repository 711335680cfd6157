/** The messages for an editor when a call fails. Text that the server did not write for people must never be shown. */
import { ApiProblem, NetworkError } from '../../shared/api/errors';
import { messages } from '../../shared/messages';

export interface Fault {
  text: string;
  requestId: string | undefined;
}

/** A failure whose sentence is ready for people: the server wrote it, or the page itself. */
export class ToldError extends Error {
  override readonly name = 'ToldError';
}

export function faultOf(error: unknown): Fault {
  if (error instanceof ToldError) {
    return { text: error.message, requestId: undefined };
  }
  if (error instanceof ApiProblem) {
    return { text: error.detail || messages.unexpected, requestId: error.requestId };
  }
  if (error instanceof NetworkError) {
    const text = error.timedOut ? 'Il server non ha risposto in tempo. Riprova.' : messages.network;
    return { text, requestId: undefined };
  }
  return { text: messages.unexpected, requestId: undefined };
}

/** All that a refusal says: its sentence, then what is wrong with each field. */
export function refusalOf({ detail, errors }: ApiProblem): string {
  return [detail, ...Object.values(errors)].filter(Boolean).join(' ');
}

export function errorsOf(failure: unknown): Readonly<Record<string, string>> {
  return failure instanceof ApiProblem ? failure.errors : {};
}

/** Whether the server said exactly this, by the last part of the problem's type. */
export function isProblem(error: unknown, slug: string): error is ApiProblem {
  return error instanceof ApiProblem && error.slug === slug;
}

export const isGone = (error: unknown): boolean =>
  isProblem(error, 'non-trovato') || isProblem(error, 'cancellata');
