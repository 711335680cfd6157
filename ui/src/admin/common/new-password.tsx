import { Check, Circle } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Form } from '../../shared/ui/form';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { PasswordField, TextField } from '../../shared/ui/text-field';

export interface Passwords {
  current: string;
  next: string;
  repeated: string;
}
const BLANK: Passwords = { current: '', next: '', repeated: '' };

/** Least length of a password, in characters (PRODUCT.md §7). */
const MIN_PASSWORD = 12;

/** Hints about a new password while it is typed; the server decides whether it is good enough. */
function rulesOf({ next, repeated }: Passwords) {
  const length = [...next].length;
  return [
    { text: `Almeno ${MIN_PASSWORD} caratteri (ora ${length})`, met: length >= MIN_PASSWORD },
    { text: 'Le due password sono uguali', met: next !== '' && next === repeated },
  ];
}

interface NewPasswordFormProps {
  change?: boolean;
  /** Whose it is; password managers keep it with the password. */
  user?: string | undefined;
  repeatLabel: string;
  wrong: { [Name in 'current' | 'next']?: string | undefined };
  /** True when it was taken: the form is then blank again. */
  onSubmit: (typed: Passwords) => Promise<boolean>;
  children: (ready: boolean) => ReactNode;
}

/** A new password, typed twice. What is typed is in memory only, for as long as the form is there. */
export function NewPasswordForm({ change = false, user, wrong, onSubmit, ...props }: NewPasswordFormProps) {
  const [typed, setTyped] = useState(BLANK);
  const [sent, setSent] = useState(BLANK);
  const form = useRef<HTMLFormElement>(null);
  const rules = rulesOf(typed);
  const ready = rules.every(({ met }) => met) && (!change || typed.current !== '');
  const refused = wrong.current ? 'current' : wrong.next ? 'next' : null;
  useEffect(() => {
    if (refused) {
      form.current?.querySelector<HTMLElement>(`[name="${refused}"]`)?.focus();
    }
  }, [refused]);

  const submit = async () => {
    if (ready) {
      setSent(typed);
      if (await onSubmit(typed)) {
        setTyped(BLANK);
      }
    }
  };
  const box = (name: keyof Passwords) => ({
    name,
    value: typed[name],
    onValue: (text: string) => setTyped({ ...typed, [name]: text }),
  });
  return (
    <Form ref={form} onSubmit={submit}>
      {user ? (
        <TextField label="Nome utente" readOnly autoComplete="username" value={user} onValue={() => {}} />
      ) : null}
      {change ? (
        <PasswordField
          {...box('current')}
          label="Password attuale"
          error={typed.current === sent.current ? wrong.current : undefined}
          autoComplete="current-password"
        />
      ) : null}
      <PasswordField
        {...box('next')}
        label="Nuova password"
        hint="Meglio una frase di più parole. Le password più comuni non sono accettate."
        error={typed.next === sent.next ? wrong.next : undefined}
        autoComplete="new-password"
      />
      <PasswordField {...box('repeated')} label={props.repeatLabel} autoComplete="new-password" />
      {change && typed.next === '' ? null : (
        <Stack as="ul" gap={1} aria-label="Che cosa serve">
          {rules.map(({ text, met }) => (
            <li key={text}>
              <Text as={Row} gap={2} tone={met ? 'success' : 'muted'} small digits>
                {met ? <Check /> : <Circle />}
                {text}
                <span className="visually-hidden">{met ? ': fatto' : ': manca'}</span>
              </Text>
            </li>
          ))}
        </Stack>
      )}
      {props.children(ready)}
    </Form>
  );
}
