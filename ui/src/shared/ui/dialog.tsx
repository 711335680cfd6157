import {
  type ComponentProps,
  type ComponentType,
  createContext,
  type ReactNode,
  type RefObject,
  useContext,
  useId,
  useLayoutEffect,
  useRef,
} from 'react';
import styles from './dialog.module.css';

/** What every modal has at its foot: nothing behind a modal can be read or pressed. */
const FootContext = createContext<ComponentType | null>(null);
export const ModalFootProvider = FootContext.Provider;

interface ModalProps extends Omit<ComponentProps<'dialog'>, 'open' | 'ref' | 'onCancel' | 'onClick'> {
  /** Escape was pressed: the safe way out, whatever that is for this dialog. */
  onCancel: () => void;
  /** The element that takes the focus on opening; the first control if absent. */
  initialFocus?: RefObject<HTMLElement | null>;
  /** A press beside it is a way out as well. */
  light?: boolean;
}

/** A modal on the native element, for as long as it is there: the browser traps the focus and gives it back on closing. */
export function Modal({ onCancel, initialFocus, light = false, children, ...rest }: ModalProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const Foot = useContext(FootContext);
  // Before it is taken away, not after: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    initialFocus?.current?.focus();
    return () => dialog?.close();
  }, [initialFocus]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the press beside it has Escape as its key
    <dialog
      {...rest}
      ref={ref}
      onCancel={(event) => {
        event.preventDefault();
        onCancel();
      }}
      onClick={(event) => light && event.target === event.currentTarget && onCancel()}
    >
      {children}
      {Foot ? <Foot /> : null}
    </dialog>
  );
}

export interface DialogProps extends Pick<ModalProps, 'onCancel' | 'initialFocus' | 'onKeyDown'> {
  open: boolean;
  title: string;
  actions: ReactNode;
  className?: string | undefined;
  children: ReactNode;
}

export function Dialog({ open, title, actions, className, children, ...rest }: DialogProps) {
  const id = useId();
  return open ? (
    <Modal
      {...rest}
      className={className ? `${styles.dialog} ${className}` : styles.dialog}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-body`}
    >
      <h2 className={styles.title} id={`${id}-title`}>
        {title}
      </h2>
      <div className={styles.body} id={`${id}-body`}>
        {children}
      </div>
      <div className={styles.actions}>{actions}</div>
    </Modal>
  ) : null;
}
