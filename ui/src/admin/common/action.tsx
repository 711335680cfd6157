import { type ReactNode, useRef, useState } from 'react';
import { Button, type ButtonVariant } from '../../shared/ui/button';
import { Confirm } from '../../shared/ui/confirm';
import { Message } from '../../shared/ui/message';
import { Spinner } from '../../shared/ui/spinner';
import { FaultText } from './error-card';
import { useToast } from './toast';

export interface Action {
  busy: boolean;
  /** Why it failed; stays until dismissed or tried again. */
  failure: unknown;
  /** Does one thing at a time; asked for another meanwhile, it does nothing. A text that the work gives is told. True when it succeeded. */
  run: (work: () => Promise<unknown>) => Promise<boolean>;
  dismissFailure: () => void;
}

const IDLE = { busy: false, failure: null as unknown };

/** Something a click asks of the server, and how it goes. `Failure` shows why it did not. */
export function useAction(): Action {
  const [state, setState] = useState(IDLE);
  const running = useRef(false);
  const { show } = useToast();
  const run: Action['run'] = async (work) => {
    if (running.current) {
      return false;
    }
    running.current = true;
    setState({ ...IDLE, busy: true });
    try {
      const text = await work();
      setState(IDLE);
      if (typeof text === 'string') {
        show({ text });
      }
      return true;
    } catch (failure) {
      show(null);
      setState({ ...IDLE, failure });
      return false;
    } finally {
      running.current = false;
    }
  };
  return {
    ...state,
    run,
    dismissFailure: () => setState((now) => ({ ...now, failure: null })),
  };
}

interface SendProps {
  busy: boolean;
  blocked?: boolean;
  busyLabel?: string;
  variant?: ButtonVariant;
  icon?: ReactNode;
  about?: string;
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
  of: Pick<Action, 'busy' | 'run'>;
  /** On the button, and above the question unless `title` is given. */
  label: string;
  title?: string;
  confirmLabel: string;
  about?: string;
  variant?: ButtonVariant;
  icon?: ReactNode;
  blocked?: boolean;
  describedBy?: string | undefined;
  /** For now it may be done without the question. */
  unasked?: boolean;
  work: () => Promise<unknown>;
  children: ReactNode;
}

export function Asked({ of, label, title = label, confirmLabel, variant = 'danger', ...rest }: AskedProps) {
  const [asking, setAsking] = useState(false);
  const work = () => void of.run(rest.work);
  return (
    <>
      <Button
        variant={variant}
        inactive={of.busy || rest.blocked === true}
        aria-describedby={rest.describedBy}
        icon={rest.icon}
        about={rest.about}
        onClick={() => (rest.unasked ? work() : setAsking(true))}
      >
        {label}
      </Button>
      <Confirm
        open={asking}
        title={title}
        confirmLabel={confirmLabel}
        onCancel={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          work();
        }}
      >
        {rest.children}
      </Confirm>
    </>
  );
}

/** As the `ref` of what came of a press: brings it into sight, above the bar that saves, which says how high it is. */
export const intoSight = (outcome: HTMLElement | null) => outcome?.scrollIntoView({ block: 'nearest' });

interface FailureProps {
  of: Pick<Action, 'failure' | 'dismissFailure'>;
  title: string;
  children?: ReactNode;
}

export function Failure({ of: { failure, dismissFailure }, title, children }: FailureProps) {
  return failure ? (
    <Message ref={intoSight} kind="error" title={title} onDismiss={dismissFailure}>
      {children ?? <FaultText error={failure} />}
    </Message>
  ) : null;
}
