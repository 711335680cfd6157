import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../shared/ui/button';
import { Field } from '../../shared/ui/field';
import { Stack } from '../../shared/ui/layout';
import { TextInput } from '../../shared/ui/text-input';
import { Send } from '../common/action-button';

interface ConfirmStepProps {
  /** What the server found wrong with the code as typed. */
  error: string | undefined;
  busy: boolean;
  onSubmit: (typed: string) => void;
  onBack: () => void;
}

/** The code typed back: proof that it has been kept before it is needed. */
export function ConfirmStep({ error, busy, onSubmit, onBack }: ConfirmStepProps) {
  const [typed, setTyped] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const blank = typed.trim() === '';

  useEffect(() => {
    if (error && !busy) {
      input.current?.focus();
    }
  }, [error, busy]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!blank && !busy) {
      onSubmit(typed);
    }
  };
  return (
    <Stack as="form" gap={4} onSubmit={submit}>
      <Field
        label="Codice di recupero"
        hint="Riscrivilo dalla tua copia: così sei certo che è giusta."
        error={error}
      >
        {(control) => (
          <TextInput
            {...control}
            ref={input}
            autoComplete="off"
            autoCapitalize="characters"
            autoCorrect="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </Field>
      <Send variant="primary" busy={busy} blocked={blank}>
        Completa la configurazione
      </Send>
      <Button inactive={busy} onClick={onBack}>
        Mostra di nuovo il codice
      </Button>
    </Stack>
  );
}
