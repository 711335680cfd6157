import { type KeyboardEvent, type ReactNode, type RefObject, useId, useLayoutEffect, useRef } from 'react';
import styles from './dialog.module.css';

interface DialogProps {
  open: boolean;
  title: string;
  /** Escape was pressed: the safe way out, whatever that is for this dialog. */
  onCancel: () => void;
  /** What takes the focus on opening; without it, the first control. */
  initialFocus?: RefObject<HTMLElement | null>;
  actions: ReactNode;
  className?: string | undefined;
  onKeyDown?: (event: KeyboardEvent) => void;
  children: ReactNode;
}

/** A modal on the native element: the browser traps the focus and gives it back on closing. */
export function Dialog({
  open,
  title,
  onCancel,
  initialFocus,
  actions,
  className,
  onKeyDown,
  children,
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();

  // Before it is taken away, not after: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!open || !dialog) {
      return;
    }
    dialog.showModal();
    initialFocus?.current?.focus();
    return () => dialog.close();
  }, [open, initialFocus]);

  return (
    <dialog
      ref={ref}
      className={className ? `${styles.dialog} ${className}` : styles.dialog}
      onKeyDown={onKeyDown}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-body`}
      onCancel={(event) => {
        event.preventDefault();
        onCancel();
      }}
    >
      {open ? (
        <>
          <h2 className={styles.title} id={`${id}-title`}>
            {title}
          </h2>
          <div className={styles.body} id={`${id}-body`}>
            {children}
          </div>
          <div className={styles.actions}>{actions}</div>
        </>
      ) : null}
    </dialog>
  );
}
