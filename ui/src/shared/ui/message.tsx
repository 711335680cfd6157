import type { ReactNode, Ref } from 'react';
import { Button } from './button';
import styles from './message.module.css';

type MessageKind = 'error' | 'warning' | 'info' | 'success';

interface MessageProps {
  ref?: Ref<HTMLDivElement>;
  kind: MessageKind;
  title?: string | undefined;
  children?: ReactNode;
  actions?: ReactNode;
  /** Present when the reader may close it; errors stay until then. */
  onDismiss?: (() => void) | undefined;
}

/** A box at the place where something happened. An error interrupts a screen reader; the other kinds do not. */
export function Message({ ref, kind, title, children, actions, onDismiss }: MessageProps) {
  return (
    <div ref={ref} className={styles.message} data-kind={kind} role={kind === 'error' ? 'alert' : undefined}>
      <div className={styles.body}>
        {title ? <p className={styles.title}>{title}</p> : null}
        {children}
      </div>
      {onDismiss ? (
        <Button
          variant="icon"
          className={styles.dismiss}
          aria-label="Chiudi il messaggio"
          icon={
            <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
              <path
                d="m3.5 3.5 9 9m0-9-9 9"
                fill="none"
                stroke="currentColor"
                strokeWidth="1.75"
                strokeLinecap="round"
              />
            </svg>
          }
          onClick={onDismiss}
        />
      ) : null}
      {actions ? <div className={styles.actions}>{actions}</div> : null}
    </div>
  );
}
