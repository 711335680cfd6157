/** 'Ricomincia', asked once. The question opens and closes by itself: the browser does it. */
import { useRef } from 'react';
import { Act } from './act';
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
      <Act quiet popoverTarget="restart" disabled={leaving}>
        Ricomincia
      </Act>
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
        <Act popoverTarget="restart" popoverTargetAction="hide">
          Annulla
        </Act>{' '}
        <Act
          onClick={() => {
            question.current?.hidePopover?.();
            onRestart();
          }}
        >
          Sì, ricomincia
        </Act>
      </div>
    </>
  );
}
