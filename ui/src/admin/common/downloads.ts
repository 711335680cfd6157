/** Files for the browser's downloads. Must never hand over an answer that is a refusal, nor a file that is not whole. */
import { useEffect, useRef } from 'react';
import { doubt, problemOf } from '../../shared/api/client';
import { NetworkError } from '../../shared/api/errors';
import { useAction } from './action';
import { ToldError } from './errors';

/** Reports up to which a file passes through the page, which then shows progress and knows that it is whole: 200 MB. */
export const IN_PAGE_REPORTS = 100_000;

/** Asks for a file; fails with what the server said when it refuses. */
export async function openFile(address: string, signal: AbortSignal, version?: number): Promise<Response> {
  const headers = version === undefined ? {} : { 'if-match': `"${version}"` };
  const answer = await fetch(address, { signal, headers });
  if (!answer.ok) {
    const problem = await problemOf(answer);
    doubt(problem);
    throw problem;
  }
  return answer;
}

export const incomplete = () =>
  new ToldError('Il file è arrivato incompleto e non è stato salvato. Riprova.');

/** Receives a file to its end, by the name the server gave it (RFC 6266). Whether it is whole, the caller judges. */
export async function receive(
  answer: Response,
  onPiece: (piece: Uint8Array) => void,
): Promise<{ file: Blob; name: string }> {
  const name = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1];
  const reader = answer.body?.getReader();
  if (!reader || !name) {
    throw incomplete();
  }
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    pieces.push(next.value);
    onPiece(next.value);
  }
  return { file: new Blob(pieces, { type: answer.headers.get('content-type') ?? '' }), name };
}

/** One download at a time, which belongs to the page that shows how far it is. */
export function useDownload(onCancelled?: () => void) {
  const { run, ...action } = useAction();
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const follow = async (work: (signal: AbortSignal) => Promise<string>) => {
    const controller = new AbortController();
    running.current = controller;
    try {
      return await work(controller.signal);
    } catch (error) {
      if (controller.signal.aborted) {
        onCancelled?.();
        return null;
      }
      // A stream breaks because of the network, whatever the browser calls the error.
      throw error instanceof TypeError ? new NetworkError(false, error) : error;
    }
  };
  return {
    ...action,
    /** Begins one; it gives what to say at its end. */
    start: (work: (signal: AbortSignal) => Promise<string>) => void run(() => follow(work)),
    cancel: () => running.current?.abort(),
  };
}
