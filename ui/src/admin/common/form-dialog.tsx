import { type ReactNode, useId, useRef } from 'react';
import { Button, type ButtonVariant } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';
import { Form } from '../../shared/ui/form';
import { type Action, Failure } from './action';

interface FormDialogProps {
  title: string;
  of: Action;
  failed: string;
  label: string;
  variant?: ButtonVariant;
  blocked?: boolean;
  between?: ReactNode;
  /** The focus begins on the button that changes nothing. */
  cautious?: boolean;
  onSubmit: () => unknown;
  onClose: () => void;
  children: ReactNode;
}

/** A form above the page: sent or left. It stays, with what was typed, as long as the server does not take it. */
export function FormDialog({
  of,
  failed,
  label,
  variant = 'primary',
  blocked = false,
  ...props
}: FormDialogProps) {
  const id = useId();
  const cancel = useRef<HTMLButtonElement>(null);
  const { title, between, cautious, onSubmit, onClose, children } = props;
  return (
    <Dialog
      open
      title={title}
      onCancel={onClose}
      {...(cautious && { initialFocus: cancel })}
      actions={
        <>
          <Button ref={cancel} onClick={onClose}>
            Annulla
          </Button>
          {between}
          <Button variant={variant} type="submit" form={id} inactive={of.busy || blocked}>
            {of.busy ? 'Attendi…' : label}
          </Button>
        </>
      }
    >
      <Form id={id} onSubmit={onSubmit}>
        <Failure of={of} title={failed} />
        {children}
      </Form>
    </Dialog>
  );
}
