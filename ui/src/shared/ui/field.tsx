import { type ReactNode, useId } from 'react';
import styles from './field.module.css';

/** The attributes that tie a control to the label, hint and error of its field. */
interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

export interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  /** The error and how to correct it; empty or absent when there is none. */
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
