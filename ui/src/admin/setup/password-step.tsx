import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { Stack } from '../../shared/ui/layout';
import { Send } from '../common/action-button';
import {
  isSendable,
  NewPassword,
  NO_PASSWORD,
  type PasswordFields,
  PasswordRules,
} from '../common/new-password';

interface PasswordStepProps {
  /** What the server found wrong with the password sent before. */
  error: string | undefined;
  busy: boolean;
  onSubmit: (password: string) => void;
}

export function PasswordStep({ error, busy, onSubmit }: PasswordStepProps) {
  const form = useForm<PasswordFields>({ defaultValues: NO_PASSWORD, mode: 'onChange' });
  const typed = form.watch();
  const { setError } = form;
  const ready = isSendable(typed);

  // A refusal is about the password as it was sent; a single key makes it another one, and takes the error away.
  useEffect(() => {
    if (error && !busy) {
      setError('next', { message: error }, { shouldFocus: true });
    }
  }, [error, busy, setError]);

  return (
    <Stack
      as="form"
      gap={4}
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !busy) {
          onSubmit(typed.next);
        }
      }}
    >
      <NewPassword form={form} repeatLabel="Ripeti la password" />
      <PasswordRules fields={typed} />
      <Send variant="primary" busy={busy} blocked={!ready}>
        Continua
      </Send>
    </Stack>
  );
}
