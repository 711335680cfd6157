/**
 * One turn over the wire. A turn is idempotent (same token and text, same answer), so a dropped line is tried once more
 * before the person hears of it. Must never retry an answer of the server: a refusal stays a refusal.
 */
import { call } from '../../shared/api/client';
import { ApiProblem, NetworkError } from '../../shared/api/errors';
import type { ChatReply, Proof } from '../../shared/api/schema';
import type { Turn } from './conversation';

/** Milliseconds the dots show for each reply, while the request runs (PRODUCT.md §2). */
export const REPLY_DELAY = 1000;

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}

async function onceMore<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof NetworkError) || error.timedOut) {
      throw error;
    }
    await sleep(300 + Math.random() * 400, signal);
    return attempt();
  }
}

async function begin(callout: string | undefined, signal: AbortSignal): Promise<string> {
  const body = callout === undefined ? {} : { callout };
  const reply = await onceMore(signal, () => call('post', '/chat', { body, signal }));
  return reply.conversation;
}

/**
 * One turn, with the files that the page shows as attached. In siege mode the last one is sent again with the proof that the server asks for; `checking` is told before it is
 * looked for, `proved` once it is found: it throws where nothing is to be sent any more.
 */
export async function takeTurn(
  conversation: string,
  text: string,
  attachments: readonly string[] | undefined,
  signal?: AbortSignal,
  checking?: () => void,
  proved?: () => void,
): Promise<ChatReply> {
  const send = (proof?: Proof) =>
    call('post', '/chat/turns', {
      body: {
        conversation,
        text,
        ...(attachments && { attachments: [...attachments] }),
        ...(proof && { proof }),
      },
      ...(signal && { signal }),
      timeoutMs: 20_000,
    });
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.challenge === undefined) {
      throw error;
    }
    checking?.();
    const { salt, bits } = error.challenge;
    const loaded = import('./solve').catch((cause: unknown) => {
      throw new NetworkError(false, cause);
    });
    const { solve } = await loaded;
    const n = await solve(salt, bits, signal);
    proved?.();
    return send({ salt, n });
  }
}

/** A turn as the person sees it: the reply comes after the dots, the request runs meanwhile. */
export async function converse(
  turn: Turn,
  attachments: readonly string[] | undefined,
  callout: string | undefined,
  signal: AbortSignal,
  started: (conversation: string) => void,
  checking: () => void,
): Promise<ChatReply> {
  const answer = async () => {
    let token = turn.conversation;
    if (token === null) {
      token = await begin(callout, signal);
      started(token);
    }
    const own = token;
    if (turn.back) {
      const body = { conversation: own, state: turn.step };
      return onceMore(signal, () => call('post', '/chat/back', { body, signal }));
    }
    return onceMore(signal, () => takeTurn(own, turn.text, attachments, signal, checking));
  };
  const [reply] = await Promise.all([answer(), sleep(REPLY_DELAY, signal)]);
  return reply;
}
