import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Field } from '../../shared/ui/field';
import { Stack } from '../../shared/ui/layout';
import { TextInput } from '../../shared/ui/text-input';

interface RecoveryCodeFormProps {
  hint: string;
  /** What the server found wrong with the code sent before; it then takes the focus. */
  refused: string | undefined;
  onSubmit: (code: string) => void;
  children: (blank: boolean) => ReactNode;
}

/** Where the recovery code is typed. It is in memory only, for as long as the form is there. */
export function RecoveryCodeForm({ hint, refused, onSubmit, children }: RecoveryCodeFormProps) {
  const [code, setCode] = useState('');
  const [judged, setJudged] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const blank = code.trim() === '';

  useEffect(() => {
    if (refused) {
      input.current?.focus();
    }
  }, [refused]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!blank) {
      setJudged(code);
      onSubmit(code.trim());
    }
  };
  return (
    <Stack as="form" gap={4} onSubmit={submit}>
      <Field label="Codice di recupero" hint={hint} error={code === judged ? refused : undefined}>
        {(control) => (
          <TextInput
            {...control}
            ref={input}
            autoComplete="off"
            autoCapitalize="characters"
            autoCorrect="off"
            spellCheck={false}
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
      </Field>
      {children(blank)}
    </Stack>
  );
}
