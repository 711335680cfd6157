import { type Dispatch, useEffect, useMemo } from 'react';
import type { Boot } from '../../shared/lib/boot';
import { Announcer, announce } from '../../shared/ui/announcer';
import type { Later } from '../use-later';
import type { Reach } from '../use-status';
import styles from './chat.module.css';
import { Composer } from './composer';
import { type Conversation, type Event, heldBy, isCorrectable, isLastStep, type Step } from './conversation';
import { wayOf } from './field-hints';
import { Transcript } from './transcript';

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
  const { phase, messages } = state;
  const sending = phase === 'sending';
  const open = phase === 'asking' || sending;
  const held = heldBy(state);
  const [place, places] = wayOf(state, Boolean(boot.callout));
  useEffect(() => state.news.forEach(announce), [state.news]);
  const reachable = reach === 'online' || reach === 'demo';
  // An error for want of a connection no longer applies.
  useEffect(() => {
    if (reachable) {
      dispatch({ type: 'reached' });
    }
  }, [reachable, dispatch]);
  const goOn = (event: Event) => {
    dispatch(event);
    document.getElementById('answer')?.focus();
  };
  const correct = (step: Step) => goOn({ type: 'correcting', step });
  // A message that must be read becomes a bubble only once it has been read.
  const said = useMemo(() => (later ? messages.filter(({ hold }) => !hold) : messages), [messages, later]);
  const over = later && phase === 'done' && held.length === 0;
  const review = later && open && held.length === 0 && isLastStep(state.step) && state.aside === null;

  return (
    <div className={styles.chat} data-ended={phase === 'ended' || undefined}>
      {!over && phase !== 'ended' && places > 0 && (
        <progress
          className={styles.progress}
          max={places}
          value={open ? place - 1 : places}
          aria-label="Domande completate"
        />
      )}
      {over && <later.End state={state} boot={boot} onRestart={onRestart} />}
      {later && state.helped && review && (
        <div className={styles.reach}>
          <later.Numbers />
        </div>
      )}
      {review && (
        <later.Review
          state={state}
          boot={boot}
          dispatch={dispatch}
          onCorrect={correct}
          onRestart={onRestart}
        />
      )}
      {!over && !review && said.length > 0 && (
        <Transcript
          assistant={assistant}
          messages={said}
          typing={sending}
          onCorrect={isCorrectable(state) ? correct : undefined}
        />
      )}
      <Announcer label="Nuovi messaggi" />
      {later && held.length > 0 && (
        <later.Pin
          texts={held.map(({ text }) => text)}
          {...(phase !== 'ended' && { onRead: () => goOn({ type: 'read' }) })}
        />
      )}
      {phase === 'done' && !later && <p role="status">{state.receipt && `Codice: ${state.receipt}`}</p>}
      {phase !== 'done' && !review && (
        <div className={styles.foot} data-held={held.length > 0 || undefined}>
          {later && state.helped && held.length === 0 && <later.Numbers />}
          {sending && later && <later.Waiting checking={state.checking} />}
          {open && (
            <Composer
              state={state}
              boot={boot}
              later={later}
              held={held.length > 0}
              dispatch={dispatch}
              onRestart={onRestart}
            />
          )}
          {phase === 'kept' &&
            (later ? (
              <later.Restart state={state} onRestart={onRestart} />
            ) : (
              <p role="status">
                La tua segnalazione è conservata in questo browser e partirà da sola appena possibile.
              </p>
            ))}
          {phase === 'ended' && later && (
            <later.Closing
              minor={held.length > 0}
              {...(state.before && { onUndo: () => goOn({ type: 'undone' }) })}
            />
          )}
        </div>
      )}
    </div>
  );
}
