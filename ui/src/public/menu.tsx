/** 'Ricomincia', asked once where something would be lost. Opens and closes by itself: the browser does it. */
import { useRef, useState } from 'react';
import { leaveFiles } from './attach/files';
import { type Conversation, isLastStep, isPristine } from './chat/conversation';
import styles from './header.module.css';

export function Menu({ state, onRestart }: { state: Conversation; onRestart: () => void }) {
  const menu = useRef<HTMLDivElement>(null);
  const [asking, setAsking] = useState(false);
  const close = () => menu.current?.hidePopover?.();
  const { phase, step, turn } = state;
  const over = phase === 'done' || phase === 'ended';
  // What may already be with the newsroom is not taken back.
  const leaving = phase === 'sending' && isLastStep(step) && !turn?.back;
  return (
    <div id="menu" popover="auto" ref={menu} className={styles.menu} onToggle={() => setAsking(false)}>
      {asking && (
        <p>
          {phase === 'kept'
            ? 'La segnalazione conservata resta e verrà inviata.'
            : 'Le risposte date finora andranno perse.'}{' '}
          Ricominciare?
        </p>
      )}
      {asking && (
        <button type="button" className="button" data-quiet="" onClick={close}>
          Annulla
        </button>
      )}
      <button
        type="button"
        className="button"
        disabled={leaving || isPristine(state)}
        onClick={() => {
          if (asking || over) {
            leaveFiles(true);
            onRestart();
            close();
          }
          setAsking(!asking && !over);
        }}
      >
        {phase === 'done' ? 'Nuova segnalazione' : 'Ricomincia'}
      </button>
    </div>
  );
}
