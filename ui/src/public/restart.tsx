/** 'Ricomincia', asked once. The question opens and closes by itself: the browser does it. */
import { useRef } from 'react';
import { type Conversation, isLastStep, isPristine } from './chat/conversation';

export function Restart({ state, onRestart }: { state: Conversation; onRestart: () => void }) {
  const question = useRef<HTMLDivElement>(null);
  const { phase, step, turn } = state;
  // What may already be with the newsroom is not taken back.
  const leaving = phase === 'sending' && isLastStep(step) && !turn?.back;
  if (isPristine(state)) {
    return null;
  }
  return (
    <>
      <button type="button" className="button" data-quiet="" popoverTarget="restart" disabled={leaving}>
        Ricomincia
      </button>
      <div
        id="restart"
        popover="auto"
        ref={question}
        className="sheet"
        role="dialog"
        aria-label="Ricominciare?"
      >
        <p>
          {phase === 'kept'
            ? 'La segnalazione conservata resta e verrà inviata.'
            : 'Le risposte date finora andranno perse.'}{' '}
          Ricominciare?
        </p>
        <button type="button" className="button" popoverTarget="restart" popoverTargetAction="hide">
          Annulla
        </button>{' '}
        <button
          type="button"
          className="button"
          onClick={() => {
            question.current?.hidePopover?.();
            onRestart();
          }}
        >
          Sì, ricomincia
        </button>
      </div>
    </>
  );
}
