/** 'Ricomincia', asked once. The question opens and closes by itself: the browser does it. */
import { Act } from './act';
import { type Conversation, isLastStep, isPristine } from './chat/conversation';
import { Sheet } from './sheet';

export function Restart({ state, onRestart }: { state: Conversation; onRestart: () => void }) {
  const { phase, step, turn } = state;
  // A report that the newsroom may already have is not taken back.
  const leaving = phase === 'sending' && isLastStep(step) && !turn?.back;
  if (isPristine(state)) {
    return null;
  }
  return (
    <>
      <Act quiet popoverTarget="restart" disabled={leaving}>
        Ricomincia
      </Act>
      <Sheet id="restart" label="Ricominciare?">
        <p>
          {phase === 'kept'
            ? 'La segnalazione conservata resta e verrà inviata. Ricominciare?'
            : 'Le risposte date finora andranno perse. Ricominciare?'}
        </p>
        <Act popoverTarget="restart" popoverTargetAction="hide">
          Annulla
        </Act>{' '}
        <Act
          onClick={() => {
            document.getElementById('restart')?.hidePopover?.();
            onRestart();
          }}
        >
          Sì, ricomincia
        </Act>
      </Sheet>
    </>
  );
}
