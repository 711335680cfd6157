import { type ReactNode, useId, useRef } from 'react';
import { flushSync } from 'react-dom';
import { Button, type ButtonVariant } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';
import { Form } from '../../shared/ui/form';
import { type Action, Failure } from './action';
import { useRefusal } from './use-refusal';

interface FormDialogProps {
  title: string;
  className?: string | undefined;
  of: Action;
  failed: string;
  label: string;
  variant?: ButtonVariant;
  blocked?: boolean;
  /** The focus begins on the button that changes nothing. */
  cautious?: boolean;
  onSubmit: () => unknown;
  onClose: () => void;
  children: ReactNode;
}

/** A form above the page: sent or left. It stays, with what was typed, as long as the server does not take it. */
export function FormDialog({ of, failed, label, variant = 'primary', onClose, ...props }: FormDialogProps) {
  const id = useId();
  const cancel = useRef<HTMLButtonElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const told = useRefusal(form, of.failure);
  return (
    <Dialog
      open
      title={props.title}
      className={props.className}
      onCancel={onClose}
      {...(props.cautious && { initialFocus: cancel })}
      actions={
        <>
          <Button ref={cancel} onClick={onClose}>
            Annulla
          </Button>
          <Button
            variant={variant}
            type="submit"
            form={id}
            inactive={of.busy || props.blocked === true}
            // What a field does when it is left may move this button from under the press, so that comes with the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={(event) => {
              const button = event.currentTarget;
              flushSync(() => button.focus());
            }}
          >
            {of.busy ? 'Attendi…' : label}
          </Button>
        </>
      }
    >
      <Form id={id} ref={form} onSubmit={props.onSubmit}>
        {told ? null : <Failure of={of} title={failed} />}
        {props.children}
      </Form>
    </Dialog>
  );
}
