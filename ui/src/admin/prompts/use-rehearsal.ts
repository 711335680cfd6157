import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../shared/api/client';
import type { Phrases } from '../../shared/api/schema';
import { NOT_STARTED, type Rehearsal, replied } from './rehearsal';

export interface RehearsalTalk {
  rehearsal: Rehearsal;
  busy: boolean;
  failure: unknown;
  /** Begins anew; false when the server could not answer. */
  start: () => Promise<boolean>;
  say: (text: string) => Promise<boolean>;
}

/** Talks with the assistant in the phrases as they are typed. Nothing of it is kept anywhere. */
export function useRehearsal(prompts: Phrases): RehearsalTalk {
  const [rehearsal, setRehearsal] = useState(NOT_STARTED);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const running = useRef<AbortController | null>(null);

  useEffect(() => () => running.current?.abort(), []);

  const turn = useCallback(
    async (before: Rehearsal, text?: string): Promise<boolean> => {
      running.current?.abort();
      const mine = new AbortController();
      running.current = mine;
      setBusy(true);
      setFailure(null);
      try {
        const reply = await call('post', '/prompts/try', {
          body: {
            prompts,
            ...(before.conversation === undefined ? {} : { conversation: before.conversation }),
            ...(text === undefined ? {} : { text }),
          },
          signal: mine.signal,
        });
        if (!mine.signal.aborted) {
          setRehearsal(replied(before, text, reply));
        }
        return true;
      } catch (error) {
        if (!mine.signal.aborted) {
          setFailure(error);
        }
        return false;
      } finally {
        if (running.current === mine) {
          setBusy(false);
        }
      }
    },
    [prompts],
  );

  const start = useCallback(() => {
    setRehearsal(NOT_STARTED);
    return turn(NOT_STARTED);
  }, [turn]);
  const say = useCallback((text: string) => turn(rehearsal, text), [turn, rehearsal]);
  return { rehearsal, busy, failure, start, say };
}
