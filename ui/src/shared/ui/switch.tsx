import { type ReactNode, useId } from 'react';
import field from './field.module.css';
import styles from './switch.module.css';

interface SwitchProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  checked: boolean;
  onChange: (checked: boolean) => void;
  form?: string;
}

export function Switch({ label, hint, error, checked, onChange, form }: SwitchProps) {
  const id = useId();
  const described = [hint ? `${id}-hint` : null, error ? `${id}-error` : null].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label className={field.label} htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        className={styles.switch}
        type="checkbox"
        role="switch"
        checked={checked}
        aria-checked={checked}
        form={form}
        aria-describedby={described || undefined}
        aria-invalid={error ? true : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      {hint ? (
        <p className={`${field.hint} ${styles.hint}`} id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
      {error ? (
        <p className={`${field.error} ${styles.hint}`} id={`${id}-error`}>
          {error}
        </p>
      ) : null}
    </div>
  );
}
