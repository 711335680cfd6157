import { Confirm } from '../../shared/ui/confirm';
import { useDeparture } from './leave-guard';

/** Asks whether unsaved work may be left behind. */
export function LeavePrompt() {
  const { pending, loss, answer } = useDeparture();
  return (
    <Confirm
      open={pending !== null}
      title="Modifiche non salvate"
      confirmLabel="Esci senza salvare"
      cancelLabel="Resta qui"
      onCancel={() => answer(false)}
      onConfirm={() => answer(true)}
    >
      <p>{loss}</p>
    </Confirm>
  );
}
