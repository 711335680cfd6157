/** A visit by a receipt's code, for which the browser's cookie stands from then on. Must never keep the code. */
import { useEffect, useRef, useState } from 'react';
import { addressOf, call, problemOf } from '../../shared/api/client';
import { ApiProblem, NetworkError } from '../../shared/api/errors';
import type { Message, OwnData, Receipt } from '../../shared/api/schema';
import { ownKey } from '../../shared/lib/boot';
import { openStore } from '../../shared/lib/storage';
import { leaveFiles, lookAfterFiles, shownFiles } from '../attach/files';
import { FAILED } from '../messages';
import type { Entered } from './thread';

const mark = () => ownKey('seguito');
const OVER = ['visita-scaduta', 'codice-sconosciuto', 'seguito-disattivato'];

/** Whether this tab has opened a visit: without one nothing is asked that would be refused. */
export function isOpen(): boolean {
  return openStore('sessionStorage')?.getItem(mark()) === '1';
}

export async function open(code: string): Promise<Receipt> {
  const receipt = await call('post', '/receipts', { body: { code } });
  try {
    openStore('sessionStorage')?.setItem(mark(), '1');
  } catch {
    // Then a reload asks for the code again.
  }
  return receipt;
}

export const look = (signal: AbortSignal): Promise<Receipt> => call('get', '/receipts', { signal });

/** Sends what is the same when it comes again, once more where the answer got lost. */
function twice(send: () => Promise<Receipt>, signal: AbortSignal): Promise<Receipt> {
  return send().catch((error: unknown) => {
    if (error instanceof NetworkError && !signal.aborted) {
      return send();
    }
    throw error;
  });
}

/** Writes to the newsroom: the same key is the same message. */
export async function write(text: string, key: string, signal: AbortSignal): Promise<Receipt> {
  const attachments = shownFiles(true);
  const body = { text, key, ...(attachments && { attachments }) };
  const sent = twice(() => call('post', '/receipts/messages', { body, signal }), signal);
  return sent.catch(async (error: unknown) => {
    if (error instanceof ApiProblem && error.slug === 'allegato-mancante') {
      await lookAfterFiles(true);
    }
    throw error;
  });
}

/** Answers the questions of a message, all at once. */
export function answer({ id, questions }: Message, entered: Entered, signal: AbortSignal): Promise<Receipt> {
  const answers = questions.flatMap(({ key, kind }) => {
    const value = entered[key];
    return value ? { key, value: kind === 'choices' ? value : (value[0] ?? '') } : [];
  });
  return twice(() => call('post', '/receipts/answers', { body: { message: id, answers }, signal }), signal);
}

/** Gives a consent, refuses it or takes it back. */
export const decide = (id: number, given: boolean, signal: AbortSignal): Promise<Receipt> =>
  twice(() => call('post', '/receipts/consents/{id}', { path: { id }, body: { given }, signal }), signal);

export const addressOfFile = (n: number): string => addressOf('/receipts/attachments/{n}', { path: { n } });

/** Asks whether a file of the report opens; the browser then asks for its bytes by itself. */
export async function tryFile(n: number, signal: AbortSignal): Promise<void> {
  const answer = await fetch(addressOfFile(n), { signal });
  if (!answer.ok) {
    throw await problemOf(answer);
  }
  await answer.body?.cancel();
}

export const takeBack = (n: number, signal: AbortSignal): Promise<Receipt> =>
  call('delete', '/receipts/attachments/{n}', { path: { n }, signal });

export const askWithdrawal = (reason: string, signal: AbortSignal): Promise<Receipt> =>
  call('post', '/receipts/withdrawal', { body: { reason }, signal });

export const ownData = (signal: AbortSignal): Promise<OwnData> => call('get', '/receipts/data', { signal });

/** Ends the visit in this browser, also when the page goes away meanwhile. Files that no message took along go back. */
export async function leave(): Promise<void> {
  openStore('sessionStorage')?.removeItem(mark());
  leaveFiles(true, true);
  await fetch(addressOf('/receipts', {}), { method: 'DELETE', keepalive: true });
}

export function isOver(error: unknown): boolean {
  return error instanceof ApiProblem && OVER.includes(error.slug);
}

export function reasonOf(error: unknown): string {
  if (error instanceof ApiProblem) {
    const field = error.errors.code ?? error.errors.text ?? error.errors.reason;
    return field ?? (error.detail || FAILED);
  }
  return 'Manca la linea. Quello che hai scritto è ancora qui: riprova tra poco.';
}

/** One act of a visit at a time: whether it is under way, and why it failed. */
export function useAct(onOver: (error: unknown) => void) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  // An answer that comes after the visit has ended must not open it again.
  const gone = useRef(new AbortController());
  useEffect(() => () => gone.current.abort(), []);
  const run = async <T>(work: (signal: AbortSignal) => Promise<T>, then: (done: T) => void) => {
    const { signal } = gone.current;
    setBusy(true);
    setFailure('');
    try {
      const done = await work(signal);
      if (!signal.aborted) {
        setBusy(false);
        then(done);
      }
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      setBusy(false);
      if (isOver(error)) {
        onOver(error);
      } else {
        setFailure(reasonOf(error));
      }
    }
  };
  return { busy, failure, run };
}
