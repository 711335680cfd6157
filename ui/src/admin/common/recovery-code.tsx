import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Form } from '../../shared/ui/form';
import { TextField } from '../../shared/ui/text-field';

interface RecoveryCodeFormProps {
  hint: string;
  /** The server's error about the code sent before. */
  refused: string | undefined;
  onSubmit: (code: string) => void;
  children: (blank: boolean) => ReactNode;
}

/** Where the recovery code is typed, and the focus begins. It is in memory only, for as long as the form is there. */
export function RecoveryCodeForm({ hint, refused, onSubmit, children }: RecoveryCodeFormProps) {
  const [code, setCode] = useState('');
  const [judged, setJudged] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const blank = code.trim() === '';

  // biome-ignore lint/correctness/useExhaustiveDependencies: at first, and after each refusal
  useEffect(() => input.current?.focus(), [refused]);

  const submit = () => {
    if (!blank) {
      setJudged(code);
      onSubmit(code.trim());
    }
  };
  return (
    <Form onSubmit={submit}>
      <TextField
        label="Codice di recupero"
        hint={hint}
        error={code === judged ? refused : undefined}
        ref={input}
        autoCapitalize="characters"
        autoCorrect="off"
        spellCheck={false}
        value={code}
        onValue={setCode}
      />
      {children(blank)}
    </Form>
  );
}
