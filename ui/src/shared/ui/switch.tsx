import { type ReactNode, useId } from 'react';
import field from './field.module.css';
import styles from './switch.module.css';

interface SwitchProps {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  form?: string;
}

export function Switch({ label, hint, checked, onChange, form }: SwitchProps) {
  const id = useId();
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
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      {hint ? (
        <p className={`${field.hint} ${styles.hint}`} id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
    </div>
  );
}
