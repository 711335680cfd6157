import { useRef } from 'react';
import type { ApiProblem } from '../../shared/api/errors';
import { Button } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';

interface LockoutDialogProps {
  /** The server's warning; null when there is none. */
  problem: ApiProblem | null;
  onCancel: () => void;
  onAdd: (address: string) => void;
  onSave: () => void;
}

/** Asks before an allow-list is saved that shuts the saver out (PRODUCT.md §6). */
export function LockoutDialog({ problem, onCancel, onAdd, onSave }: LockoutDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  const address = problem ? addressIn(problem.detail) : undefined;
  return (
    <Dialog
      open={problem !== null}
      title="Perderesti l’accesso al pannello"
      onCancel={onCancel}
      initialFocus={cancel}
      actions={
        <>
          <Button ref={cancel} onClick={onCancel}>
            Annulla
          </Button>
          {address ? <Button onClick={() => onAdd(address)}>Aggiungi {address}</Button> : null}
          <Button variant="danger" onClick={onSave}>
            Salva comunque
          </Button>
        </>
      }
    >
      <p>{problem?.detail}</p>
      <p>Se salvi comunque, da qui potrà rimediare solo chi gestisce il server.</p>
    </Dialog>
  );
}

const ADDRESS = /(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]*:[0-9a-f:.]+/i;

export function addressIn(sentence: string): string | undefined {
  return ADDRESS.exec(sentence)?.[0];
}
