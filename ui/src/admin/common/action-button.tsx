import { type ReactNode, useState } from 'react';
import { Button, type ButtonVariant } from '../../shared/ui/button';
import { Confirm } from '../../shared/ui/confirm';
import { Spinner } from '../../shared/ui/spinner';
import type { Action } from './use-action';

interface SendProps {
  busy: boolean;
  /** Something is missing. */
  blocked?: boolean;
  /** Label while it is under way. */
  busyLabel?: string;
  variant?: ButtonVariant;
  icon?: ReactNode;
  'aria-describedby'?: string | undefined;
  /** Absent in a form, which the button then sends. */
  onClick?: () => void;
  children: ReactNode;
}

/** A button whose action takes a while: it turns, and cannot be pressed meanwhile. */
export function Send({ busy, blocked, busyLabel = 'Attendi…', icon, children, onClick, ...rest }: SendProps) {
  return (
    <Button
      {...rest}
      type={onClick ? 'button' : 'submit'}
      inactive={busy || blocked === true}
      icon={busy ? <Spinner /> : icon}
      onClick={onClick}
    >
      {busy ? busyLabel : children}
    </Button>
  );
}

interface AskedProps {
  of: Action;
  /** On the button, and above the question unless `title` is given. */
  label: string;
  title?: string;
  confirmLabel: string;
  variant?: ButtonVariant;
  blocked?: boolean;
  work: () => Promise<string | null>;
  /** The question. */
  children: ReactNode;
}

/** A button whose action is asked about first. */
export function Asked({ of, label, title = label, confirmLabel, variant = 'danger', ...rest }: AskedProps) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button variant={variant} inactive={of.busy || rest.blocked === true} onClick={() => setAsking(true)}>
        {label}
      </Button>
      <Confirm
        open={asking}
        title={title}
        confirmLabel={confirmLabel}
        onCancel={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          void of.run(rest.work);
        }}
      >
        {rest.children}
      </Confirm>
    </>
  );
}
