import { useRef } from 'react';
import { Button } from './button';
import { Dialog, type DialogProps } from './dialog';

interface ConfirmProps extends Omit<DialogProps, 'actions'> {
  confirmLabel: string;
  cancelLabel?: string;
  onConfirm: () => void;
}

/** Asks before something that cannot be taken back; the focus starts on the button that changes nothing. */
export function Confirm({ confirmLabel, cancelLabel = 'Annulla', onConfirm, ...dialog }: ConfirmProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      {...dialog}
      initialFocus={cancel}
      actions={
        <>
          <Button ref={cancel} onClick={dialog.onCancel}>
            {cancelLabel}
          </Button>
          <Button variant="danger" onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </>
      }
    />
  );
}
