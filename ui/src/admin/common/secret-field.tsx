import type { ReactNode } from 'react';
import { Button } from '../../shared/ui/button';
import { Field } from '../../shared/ui/field';
import { Row } from '../../shared/ui/layout';
import { PasswordInput } from '../../shared/ui/password-input';
import styles from './secret-field.module.css';

interface SecretFieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** The secret with its article, for the switch that shows what is typed: `la chiave`; the password when absent. */
  noun?: string;
  /** The server holds one. */
  stored: boolean;
  /** What a save will send: null keeps what is stored, an empty text removes it, any other replaces it. */
  value: string | null;
  onChange: (value: string | null) => void;
  /** Id of the form that Enter sends. */
  form?: string;
}

/** A secret that can be set, replaced and removed, but never read: the server only tells whether there is one. */
export function SecretField({
  noun = 'la password',
  stored,
  value,
  onChange,
  form,
  ...field
}: SecretFieldProps) {
  const removing = stored && value === '';
  const state = removing
    ? 'Verrà rimossa quando salvi.'
    : !stored
      ? ''
      : value === null
        ? 'Impostata. Non viene mai mostrata: scrivi qui per sostituirla.'
        : 'Sostituirà quella impostata, quando salvi.';
  return (
    <Field
      label={field.label}
      error={field.error}
      hint={
        state || field.hint ? (
          <>
            {field.hint}
            {state ? <span className={styles.state}>{state}</span> : null}
          </>
        ) : undefined
      }
    >
      {(control) => (
        <Row>
          <div className={styles.box}>
            <PasswordInput
              {...control}
              noun={noun}
              form={form}
              autoComplete="new-password"
              placeholder={stored && value === null ? '••••••••' : undefined}
              value={value ?? ''}
              onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
            />
          </div>
          {stored ? (
            <Button
              aria-label={removing ? `${field.label}: non rimuovere` : `${field.label}: rimuovi`}
              onClick={() => onChange(removing ? null : '')}
            >
              {removing ? 'Non rimuovere' : 'Rimuovi'}
            </Button>
          ) : null}
        </Row>
      )}
    </Field>
  );
}
