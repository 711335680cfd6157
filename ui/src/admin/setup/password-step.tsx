import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../shared/ui/button';
import { Field } from '../../shared/ui/field';
import { PasswordInput } from '../../shared/ui/password-input';
import { Spinner } from '../../shared/ui/spinner';
import { passwordRules } from '../common/password-rules';
import { RuleList } from '../common/rule-list';
import styles from '../entrance/form.module.css';

interface PasswordStepProps {
  /** What the server found wrong with the password sent before. */
  error: string | undefined;
  busy: boolean;
  onSubmit: (password: string) => void;
}

export function PasswordStep({ error, busy, onSubmit }: PasswordStepProps) {
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  /** A refusal is about the password as it was sent; a single key makes it another one. */
  const [edited, setEdited] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const rules = passwordRules(password, repeated);
  const ready = rules.every((rule) => rule.met);

  useEffect(() => {
    if (error && !busy) {
      input.current?.focus();
    }
  }, [error, busy]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready && !busy) {
      setEdited(false);
      onSubmit(password);
    }
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Field
        label="Nuova password"
        hint="Meglio una frase di più parole. Le password più comuni non sono accettate."
        error={edited ? undefined : error}
      >
        {(control) => (
          <PasswordInput
            {...control}
            ref={input}
            autoComplete="new-password"
            value={password}
            onChange={(event) => {
              setPassword(event.target.value);
              setEdited(true);
            }}
          />
        )}
      </Field>
      <Field label="Ripeti la password">
        {(control) => (
          <PasswordInput
            {...control}
            autoComplete="new-password"
            value={repeated}
            onChange={(event) => setRepeated(event.target.value)}
          />
        )}
      </Field>
      <RuleList rules={rules} />
      <Button type="submit" variant="primary" inactive={!ready || busy} icon={busy ? <Spinner /> : undefined}>
        {busy ? 'Attendi…' : 'Continua'}
      </Button>
    </form>
  );
}
