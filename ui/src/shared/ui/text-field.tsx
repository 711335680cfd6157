import type { ComponentProps, ComponentPropsWithRef } from 'react';
import { Field, type FieldProps } from './field';
import { PasswordInput } from './password-input';
import { TextArea, TextInput } from './text-input';

interface Typed extends Omit<FieldProps, 'children'> {
  value: string;
  onValue: (text: string) => void;
}

type With<Box> = Typed & Omit<Box, keyof Typed | 'onChange'>;

export function TextField({ label, hint, error, onValue, ...box }: With<ComponentPropsWithRef<'input'>>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(of) => (
        <TextInput autoComplete="off" {...of} {...box} onChange={({ target }) => onValue(target.value)} />
      )}
    </Field>
  );
}

export function AreaField({ label, hint, error, onValue, ...box }: With<ComponentPropsWithRef<'textarea'>>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(of) => <TextArea {...of} {...box} onChange={({ target }) => onValue(target.value)} />}
    </Field>
  );
}

export function PasswordField({
  label,
  hint,
  error,
  onValue,
  ...box
}: With<ComponentProps<typeof PasswordInput>>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(of) => <PasswordInput {...of} {...box} onChange={({ target }) => onValue(target.value)} />}
    </Field>
  );
}
