import { Check, Circle } from 'lucide-react';
import type { UseFormReturn } from 'react-hook-form';
import { Field } from '../../shared/ui/field';
import { Stack } from '../../shared/ui/layout';
import { PasswordInput } from '../../shared/ui/password-input';
import styles from './new-password.module.css';

/** What a form for a new password holds. */
export interface PasswordFields {
  current: string;
  next: string;
  repeated: string;
}
export const NO_PASSWORD: PasswordFields = { current: '', next: '', repeated: '' };

/** Least length of a password, in characters (PRODUCT.md §6). */
const MIN_PASSWORD = 12;

/** What can be said of a new password while it is typed; whether it is good enough, the server decides. */
function rulesOf({ next, repeated }: PasswordFields) {
  const length = [...next].length;
  return [
    { text: `Almeno ${MIN_PASSWORD} caratteri (ora ${length})`, met: length >= MIN_PASSWORD },
    { text: 'Le due password sono uguali', met: next !== '' && next === repeated },
  ];
}

/** Whether a new password may be sent to the server for judgement. */
export function isSendable(fields: PasswordFields): boolean {
  return rulesOf(fields).every((rule) => rule.met);
}

interface NewPasswordProps {
  form: UseFormReturn<PasswordFields>;
  repeatLabel: string;
}

/** The two boxes of a new password. */
export function NewPassword({ form: { register, formState }, repeatLabel }: NewPasswordProps) {
  return (
    <>
      <Field
        label="Nuova password"
        hint="Meglio una frase di più parole. Le password più comuni non sono accettate."
        error={formState.errors.next?.message}
      >
        {(control) => <PasswordInput {...control} {...register('next')} autoComplete="new-password" />}
      </Field>
      <Field label={repeatLabel}>
        {(control) => <PasswordInput {...control} {...register('repeated')} autoComplete="new-password" />}
      </Field>
    </>
  );
}

/** The rules of a new password, ticked off while it is typed. */
export function PasswordRules({ fields }: { fields: PasswordFields }) {
  return (
    <Stack as="ul" gap={1} aria-label="Requisiti della password">
      {rulesOf(fields).map((rule) => (
        <li key={rule.text} className={styles.rule} data-met={rule.met || undefined}>
          {rule.met ? <Check aria-hidden="true" /> : <Circle aria-hidden="true" />}
          {rule.text}
          <span className="visually-hidden">{rule.met ? ': soddisfatto' : ': da soddisfare'}</span>
        </li>
      ))}
    </Stack>
  );
}
