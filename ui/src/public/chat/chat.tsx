/** The conversation on the screen: notice, transcript, what waits to be sent, and the box or what took its place. */
import { type Dispatch, useEffect } from 'react';
import type { Boot } from '../../shared/lib/boot';
import { Announcer, announce } from '../../shared/ui/announcer';
import type { Reach } from '../use-status';
import styles from './chat.module.css';
import { Closing } from './closing';
import { Composer } from './composer';
import { type Conversation, type Event, isCorrectable, isPristine, type Step } from './conversation';
import { positionOf, STEPS } from './field-hints';
import { Kept } from './kept';
import { PrivacyNotice } from './privacy-notice';
import { Transcript } from './transcript';

/** Milliseconds after which an answer that is on its way is told of. */
const SLOW = 4000;
const CHECKING =
  'Un momento: stiamo verificando che l’invio non sia automatico. Può volerci qualche secondo, non chiudere la pagina.';

/** Answered questions, for the bar: all of them once the conversation is over. */
function answered(state: Conversation): number {
  const open = state.phase === 'asking' || state.phase === 'sending';
  return open ? positionOf(state.step) - 1 : STEPS.length;
}

type Props = { boot: Boot; assistant: string; reach: Reach; state: Conversation; dispatch: Dispatch<Event> };

export function Chat({ boot, assistant, reach, state, dispatch }: Props) {
  const sending = state.phase === 'sending';
  useEffect(() => state.news.forEach(announce), [state.news]);
  const checking = sending && state.checking;
  useEffect(() => {
    if (!sending || checking) {
      return;
    }
    const timer = setTimeout(() => announce('Invio in corso, attendi.'), SLOW);
    return () => clearTimeout(timer);
  }, [sending, checking]);
  useEffect(() => {
    if (!checking) {
      return;
    }
    announce(CHECKING);
    const timer = setInterval(() => announce('Verifica in corso, attendi.'), 2 * SLOW);
    return () => clearInterval(timer);
  }, [checking]);
  const restart = () => dispatch({ type: 'restarted', welcome: boot.welcome });
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
        onCorrect={isCorrectable(state) ? correct : undefined}
        notice={<PrivacyNotice text={boot.privacy.text} url={boot.privacy.url} />}
      />
      <Announcer label="Nuovi messaggi" />
      <div className={styles.foot}>
        {checking && <p className={styles.checking}>{CHECKING}</p>}
        <Kept
          reachable={reachable}
          ownId={state.keptId}
          canResume={!open || isPristine(state)}
          dispatch={dispatch}
        />
        {open ? (
          <Composer state={state} minimum={boot.minimum} dispatch={dispatch} onRestart={restart} />
        ) : (
          <Closing phase={state.phase} onRestart={restart} />
        )}
      </div>
    </div>
  );
}
