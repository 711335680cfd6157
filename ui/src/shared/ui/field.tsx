import { type ReactNode, useId } from 'react';
import styles from './field.module.css';

/** What a control takes from its field so that label, hint and error belong to it. */
interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

export interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  /** What is wrong and how to put it right; empty or absent when nothing is. */
  error?: string | undefined;
  children: (control: ControlProps) => ReactNode;
}

/** Label, hint, control and error as one. The error slot is always mounted, so its id never dangles. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const described = [hint ? hintId : null, error ? errorId : null].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {hint ? (
        <div className={styles.hint} id={hintId}>
          {hint}
        </div>
      ) : null}
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': error ? true : undefined,
      })}
      <p className={styles.error} id={errorId}>
        {error}
      </p>
    </div>
  );
}
