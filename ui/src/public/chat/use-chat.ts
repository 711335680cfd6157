/**
 * Drives the conversation: sends each turn, resumes after a reload, keeps a report that cannot be sent.
 * Must never send a turn twice with another text, nor keep anything of a conversation that is over.
 */
import { type Dispatch, useEffect, useReducer, useRef } from 'react';
import { ApiProblem, isTemporary } from '../../shared/api/errors';
import { FAILED } from '../messages';
import {
  type Conversation,
  type Event,
  isLastStep,
  newConversation,
  reduce,
  type Turn,
} from './conversation';
import { recall, remember } from './memory';
import { keep, toKeptReport } from './outbox';
import { converse } from './turns';

/** The server no longer knows the conversation, for instance because its key was lost. */
function isLost(error: unknown): boolean {
  return error instanceof ApiProblem && ['token-non-valido', 'stato-non-valido'].includes(error.slug);
}

/** What a failed turn means for the conversation. */
export function eventOf(error: unknown): Extract<Event, { type: 'failed' | 'closed' }> {
  if (error instanceof ApiProblem) {
    if (error.status === 409) {
      return { type: 'closed', note: error.detail || 'La redazione ha già ricevuto questa segnalazione.' };
    }
    const lost = isLost(error);
    const said = lost || (error.status < 500 && error.detail !== '');
    return {
      type: 'failed',
      failure: said ? (error.errors.text ?? error.detail) : FAILED,
      lost,
    };
  }
  return { type: 'failed', failure: FAILED, lost: false };
}

/**
 * Keeps the report when its last turn did not get through; `undefined` when this is no such case. A lost conversation
 * counts: nobody should have to write an account again that was finished.
 */
function keepLast(slug: string, state: Conversation, turn: Turn, error: unknown): Event | undefined {
  const { conversation } = turn;
  if (
    turn.back ||
    !isLastStep(turn.step) ||
    conversation === null ||
    !(isTemporary(error) || isLost(error))
  ) {
    return undefined;
  }
  const report = toKeptReport(state.answers, { ...turn, conversation }, new Date());
  return keep(slug, report) ? { type: 'kept', id: report.id } : undefined;
}

export function useChat(welcome: string, slug: string): [Conversation, Dispatch<Event>] {
  const [state, dispatch] = useReducer(reduce, welcome, newConversation);
  const latest = useRef(state);
  const resumed = useRef(false);

  useEffect(() => {
    latest.current = state;
    // The first render is the prerendered one: what the tab remembers is only read after it.
    if (resumed.current) {
      remember(slug, state);
    }
  }, [slug, state]);

  useEffect(() => {
    resumed.current = true;
    const conversation = recall(slug);
    if (conversation !== undefined) {
      dispatch({ type: 'restored', conversation });
    }
  }, [slug]);

  const { turn } = state;
  useEffect(() => {
    if (turn === null) {
      return;
    }
    const abort = new AbortController();
    const started = (conversation: string) => dispatch({ type: 'started', conversation });
    const checking = () => dispatch({ type: 'checking' });
    converse(turn, abort.signal, started, checking).then(
      (reply) => dispatch({ type: 'replied', reply }),
      (error: unknown) => {
        if (!abort.signal.aborted) {
          dispatch(keepLast(slug, latest.current, turn, error) ?? eventOf(error));
        }
      },
    );
    return () => abort.abort();
  }, [slug, turn]);

  return [state, dispatch];
}
