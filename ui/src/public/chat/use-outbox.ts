/** Sends kept reports once the newsroom is reachable. Must never send a deleted one, nor forget an unacknowledged one. */
import { useCallback, useEffect, useState } from 'react';
import { ApiProblem, isTemporary } from '../../shared/api/errors';
import type { ChatReply } from '../../shared/api/schema';
import { type KeptReport, keptReports, type Waiting } from '../../shared/lib/kept-reports';
import { FAILED } from '../messages';
import { discard, keepAt } from './outbox';
import { isLacking } from './talk';
import { takeTurn } from './turns';

/**
 * - `waiting`: for the line, or for its next try
 * - `sending`: on its way
 * - `sent`: acknowledged, the local copy is gone
 * - `refused`: the assistant did not accept the last answer, the person has to change it
 * - `lacking`: a file that was attached is gone, the person has to know
 * - `failed`: the server will never take it as it is
 * - `gone`: sent or deleted from another tab
 */
export type Delivery = Waiting & {
  state: 'waiting' | 'sending' | 'sent' | 'refused' | 'lacking' | 'failed' | 'gone';
  tries: number;
  wait: number;
  reply?: ChatReply;
  reason?: string;
};

const FIRST_WAIT = 5000;
const LONGEST_WAIT = 60_000;

/** Doubling with a quarter of chance in it, so that a newsroom that comes back is not hit by everyone at once. */
export function waitAfter(tries: number, retryAfter?: number): number {
  const doubled = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.max(0, tries - 1));
  return Math.max((retryAfter ?? 0) * 1000, doubled * (0.75 + Math.random() * 0.5));
}

const isKept = (key: string) => keptReports().some((item) => item.key === key);

export async function deliver(key: string, report: KeptReport, tries: number): Promise<Partial<Delivery>> {
  const { conversation, text, attachments } = report;
  const stillKept = () => {
    if (!isKept(key)) {
      throw new Error('deleted meanwhile');
    }
  };
  try {
    const reply = await takeTurn(conversation, text, attachments, undefined, undefined, stillKept);
    return { state: reply.finished ? 'sent' : 'refused', reply };
  } catch (error) {
    if (!isKept(key)) {
      return { state: 'gone' };
    }
    if (error instanceof ApiProblem && isLacking(error)) {
      return { state: 'lacking', reason: error.detail };
    }
    if (error instanceof ApiProblem && error.status === 409) {
      return { state: 'sent' };
    }
    if (isTemporary(error)) {
      const retryAfter = error instanceof ApiProblem ? error.retryAfter : undefined;
      return { state: 'waiting', tries: tries + 1, wait: waitAfter(tries + 1, retryAfter) };
    }
    const reason = error instanceof ApiProblem && error.detail !== '' ? error.detail : FAILED;
    return { state: 'failed', reason };
  }
}

/** `ownId`: the report of the conversation on the screen, which may be kept at any time. */
export function useOutbox(reachable: boolean, ownId: number | null) {
  const [deliveries, setDeliveries] = useState<readonly Delivery[]>([]);

  const change = useCallback((key: string, patch: Partial<Delivery>) => {
    setDeliveries((all) => all.map((item) => (item.key === key ? { ...item, ...patch } : item)));
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a report was kept
  useEffect(() => {
    setDeliveries((all) => {
      const known = new Set(all.map((item) => item.key));
      const fresh = keptReports().filter((item) => !known.has(item.key));
      return [
        ...all,
        ...fresh.map((item): Delivery => ({ ...item, state: 'waiting', tries: 0, wait: FIRST_WAIT })),
      ];
    });
  }, [ownId]);

  useEffect(() => {
    if (reachable) {
      const now = (item: Delivery) =>
        item.state === 'waiting' ? { ...item, tries: 0, wait: 1 + Math.random() * 800 } : item;
      setDeliveries((all) => all.map(now));
    }
  }, [reachable]);

  const sending = deliveries.some((item) => item.state === 'sending');
  const waiting = sending ? [] : deliveries.filter((item) => item.state === 'waiting');
  const next = waiting.length > 0 ? waiting.reduce((a, b) => (b.wait < a.wait ? b : a)) : undefined;
  useEffect(() => {
    // No wait at all means that the person asked for it: then an unreachable newsroom is tried as well.
    if (next === undefined || (!reachable && next.wait > 0)) {
      return;
    }
    const { key, report, tries, wait } = next;
    const timer = setTimeout(async () => {
      if (!isKept(key)) {
        change(key, { state: 'gone' });
        return;
      }
      change(key, { state: 'sending' });
      const outcome = await deliver(key, report, tries);
      if (outcome.state === 'sent') {
        discard(key);
      }
      change(key, outcome);
    }, wait);
    return () => clearTimeout(timer);
  }, [change, next, reachable]);

  const hurry = useCallback((key: string) => change(key, { state: 'waiting', wait: 0 }), [change]);

  /** Sends a report with what is left of its files. */
  const sendWithout = useCallback(
    (key: string) => {
      const without = keptReports().find((item) => item.key === key)?.report;
      if (without !== undefined) {
        const { attachments: _, ...report } = without;
        keepAt(key, report);
        change(key, { state: 'waiting', wait: 0, report });
      }
    },
    [change],
  );

  const remove = useCallback((key: string) => {
    discard(key);
    setDeliveries((all) => all.filter((item) => item.key !== key));
  }, []);

  return { deliveries, hurry, sendWithout, remove };
}
