/**
 * A visit by the code of a receipt. The code leaves the page with the one call that opens the visit: from then on the
 * browser's cookie stands for it. Must never keep the code.
 */
import { addressOf, call } from '../../shared/api/client';
import { ApiProblem, NetworkError } from '../../shared/api/errors';
import type { Receipt } from '../../shared/api/schema';
import { openStore } from '../../shared/lib/storage';

const MARK = 'seguito';
const OVER = ['visita-scaduta', 'codice-sconosciuto', 'seguito-disattivato'];

/** Whether this tab has opened a visit: without one nothing is asked that would be refused. */
export function isOpen(): boolean {
  return openStore('sessionStorage')?.getItem(MARK) === '1';
}

export async function open(code: string): Promise<Receipt> {
  const receipt = await call('post', '/receipts', { body: { code } });
  try {
    openStore('sessionStorage')?.setItem(MARK, '1');
  } catch {
    // Then a reload asks for the code again.
  }
  return receipt;
}

export const look = (signal: AbortSignal): Promise<Receipt> => call('get', '/receipts', { signal });

/** Writes to the newsroom. Where the answer got lost the thread says whether the message arrived. */
export async function write(text: string, before: number, signal: AbortSignal): Promise<Receipt> {
  try {
    return await call('post', '/receipts/messages', { body: { text }, signal });
  } catch (error) {
    if (!(error instanceof NetworkError)) {
      throw error;
    }
    const now = await look(signal).catch(() => undefined);
    const arrived = now?.messages.slice(before).some((one) => one.from === 'segnalante' && one.text === text);
    if (now === undefined || !arrived) {
      throw error;
    }
    return now;
  }
}

/** Ends the visit in this browser, also when the page goes away meanwhile. */
export async function leave(): Promise<void> {
  openStore('sessionStorage')?.removeItem(MARK);
  await fetch(addressOf('/receipts', {}), { method: 'DELETE', keepalive: true });
}

/** Whether the visit is over, so that the code must be given again. */
export function isOver(error: unknown): boolean {
  return error instanceof ApiProblem && OVER.includes(error.slug);
}

export function reasonOf(error: unknown): string {
  if (error instanceof ApiProblem) {
    const field = error.errors.code ?? error.errors.text;
    return field ?? (error.detail || 'Si è verificato un errore. Riprova.');
  }
  return 'Connessione assente. Controlla la rete e riprova.';
}
