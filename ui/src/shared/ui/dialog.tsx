import { type ReactNode, type RefObject, useEffect, useId, useRef } from 'react';
import styles from './dialog.module.css';

interface DialogProps {
  open: boolean;
  title: string;
  /** Escape was pressed: the safe way out, whatever that is for this dialog. */
  onCancel: () => void;
  /** What takes the focus on opening; without it, the first control. */
  initialFocus?: RefObject<HTMLElement | null>;
  actions: ReactNode;
  children: ReactNode;
}

/** A modal on the native element: the browser traps the focus and gives it back on closing. */
export function Dialog({ open, title, onCancel, initialFocus, actions, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();

  useEffect(() => {
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
      className={styles.dialog}
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
