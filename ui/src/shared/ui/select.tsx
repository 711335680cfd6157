import type { ComponentPropsWithRef, ReactNode } from 'react';
import styles from './control.module.css';
import { Field } from './field';

export interface Option<Value extends string> {
  value: Value;
  label: string;
}

interface SelectProps<Value extends string>
  extends Omit<ComponentPropsWithRef<'select'>, 'value' | 'onChange' | 'children'> {
  value: Value;
  options: readonly Option<Value>[];
  onValue: (value: Value) => void;
}

export function Select<Value extends string>({ value, options, onValue, ...rest }: SelectProps<Value>) {
  return (
    <select
      {...rest}
      className={styles.control}
      value={value}
      // It can be one of these only.
      onChange={(event) => onValue(event.target.value as Value)}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

interface SelectFieldProps<Value extends string>
  extends Pick<SelectProps<Value>, 'value' | 'options' | 'onValue' | 'form' | 'name'> {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
}

export function SelectField<Value extends string>({
  label,
  hint,
  error,
  ...select
}: SelectFieldProps<Value>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <Select {...control} {...select} />}
    </Field>
  );
}
