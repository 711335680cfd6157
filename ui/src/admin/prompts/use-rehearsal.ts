import { useState } from 'react';
import { call } from '../../shared/api/client';
import type { Phrases } from '../../shared/api/schema';
import { useAction } from '../common/use-action';
import { NOT_STARTED, type Rehearsal, replied } from './rehearsal';

interface RehearsalTalk {
  rehearsal: Rehearsal;
  busy: boolean;
  failure: unknown;
  /** Begins anew. */
  start: () => void;
  /** False when the server could not answer. */
  say: (text: string) => Promise<boolean>;
}

/** Talks with the assistant in the phrases as they are typed. Nothing of it is kept anywhere. */
export function useRehearsal(prompts: Phrases): RehearsalTalk {
  const [rehearsal, setRehearsal] = useState(NOT_STARTED);
  const { busy, failure, run } = useAction();
  const turn = (before: Rehearsal, text?: string) =>
    run(async () => {
      const { conversation } = before;
      const body = {
        prompts,
        ...(conversation === undefined ? {} : { conversation }),
        ...(text === undefined ? {} : { text }),
      };
      setRehearsal(replied(before, text, await call('post', '/prompts/try', { body })));
      return null;
    });
  const start = () => {
    setRehearsal(NOT_STARTED);
    void turn(NOT_STARTED);
  };
  return { rehearsal, busy, failure, start, say: (text) => turn(rehearsal, text) };
}
