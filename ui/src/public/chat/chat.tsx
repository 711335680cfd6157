import { type Dispatch, useEffect } from 'react';
import type { Boot } from '../../shared/lib/boot';
import { Announcer, announce } from '../../shared/ui/announcer';
import type { Later } from '../use-later';
import type { Reach } from '../use-status';
import styles from './chat.module.css';
import { Composer } from './composer';
import { type Conversation, type Event, isCorrectable, type Step } from './conversation';
import { positionOf, STEPS } from './field-hints';
import { Transcript } from './transcript';

/** Answered questions, for the bar: all of them once the conversation is over. */
function answered(state: Conversation): number {
  const open = state.phase === 'asking' || state.phase === 'sending';
  return open ? positionOf(state.step) - 1 : STEPS.length;
}

type Props = {
  boot: Boot;
  assistant: string;
  reach: Reach;
  state: Conversation;
  later: Later | null;
  dispatch: Dispatch<Event>;
  onRestart: () => void;
};

export function Chat({ boot, assistant, reach, state, later, dispatch, onRestart }: Props) {
  const sending = state.phase === 'sending';
  useEffect(() => state.news.forEach(announce), [state.news]);
  const open = state.phase === 'asking' || sending;
  const reachable = reach === 'online' || reach === 'demo';
  // What failed for want of a line is no longer so.
  useEffect(() => {
    if (reachable) {
      dispatch({ type: 'reached' });
    }
  }, [reachable, dispatch]);
  const correct = (step: Step) => {
    dispatch({ type: 'correcting', step });
    document.getElementById('answer')?.focus();
  };

  return (
    <div className={styles.chat}>
      <progress
        className={styles.progress}
        max={STEPS.length}
        value={answered(state)}
        aria-label="Domande completate"
      />
      <Transcript
        assistant={assistant}
        messages={state.messages}
        typing={sending}
        later={later}
        onCorrect={isCorrectable(state) ? correct : undefined}
      />
      <Announcer label="Nuovi messaggi" />
      <div className={styles.foot}>
        {sending && later && <later.Waiting checking={state.checking} />}
        {!later && state.phase === 'kept' && (
          <p role="status">
            La tua segnalazione è conservata in questo browser e partirà da sola appena possibile.
          </p>
        )}
        {!later && state.receipt && <p role="status">Codice: {state.receipt}</p>}
        {open ? (
          <Composer state={state} boot={boot} later={later} dispatch={dispatch} onRestart={onRestart} />
        ) : (
          later && <later.Closing state={state} onRestart={onRestart} />
        )}
      </div>
    </div>
  );
}
