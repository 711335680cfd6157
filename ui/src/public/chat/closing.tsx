/** What takes the place of the box once the conversation is over. Takes the focus, since the box is gone. */
import { useEffect, useRef } from 'react';
import { leaveFiles } from '../attach/files';
import { Restart } from '../restart';
import styles from './closing.module.css';
import type { Conversation } from './conversation';

export function Closing({ state, onRestart }: { state: Conversation; onRestart: () => void }) {
  const { phase } = state;
  const sentence = useRef<HTMLParagraphElement>(null);

  // Without a report there is nothing for them to go with.
  useEffect(() => {
    leaveFiles(phase === 'ended');
  }, [phase]);

  useEffect(() => {
    if (phase !== 'kept') {
      sentence.current?.focus({ preventScroll: true });
    }
  }, [phase]);

  if (phase === 'kept') {
    return <Restart state={state} onRestart={onRestart} />;
  }
  const done = phase === 'done';
  return (
    <div className={styles.closing} data-done={done || undefined}>
      {done && (
        <svg className={styles.icon} viewBox="0 0 24 24" width="28" height="28" aria-hidden="true">
          <path
            d="M5 12.5 10 17.5 19 7.5"
            fill="none"
            stroke="currentColor"
            strokeWidth="2.5"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        </svg>
      )}
      <p ref={sentence} tabIndex={-1} className={styles.sentence}>
        {done
          ? 'Conversazione completata. Grazie per la tua segnalazione.'
          : 'Conversazione terminata. In questo browser non resta nulla di ciò che hai scritto.'}
      </p>
      {done && (
        <button type="button" className={`button ${styles.again}`} data-quiet="" onClick={onRestart}>
          Nuova segnalazione
        </button>
      )}
    </div>
  );
}
