import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { call } from '../../shared/api/client';
import { ApiProblem } from '../../shared/api/errors';
import { Button } from '../../shared/ui/button';
import { Field } from '../../shared/ui/field';
import { Message } from '../../shared/ui/message';
import { PasswordInput } from '../../shared/ui/password-input';
import { Spinner } from '../../shared/ui/spinner';
import { StatusMessage } from '../../shared/ui/status-message';
import { FaultText } from '../common/error-card';
import { isProblem } from '../common/errors';
import { passwordRules } from '../common/password-rules';
import { RuleList } from '../common/rule-list';
import styles from './password-form.module.css';

const NOTHING = { current: '', next: '', repeated: '' };

/** Change of the one shared password. What is typed here is never kept, nor does it wait for the page's save. */
export function PasswordForm() {
  const title = useId();
  const [typed, setTyped] = useState(NOTHING);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [news, setNews] = useState<{ text: string } | null>(null);
  const current = useRef<HTMLInputElement>(null);
  const next = useRef<HTMLInputElement>(null);
  const rules = passwordRules(typed.next, typed.repeated);
  const ready = typed.current !== '' && rules.every((rule) => rule.met);
  const wrong = isProblem(failure, 'password-non-valida') ? failure.detail : undefined;
  const refused = failure instanceof ApiProblem ? failure.errors.new : undefined;

  useEffect(() => {
    if (wrong) {
      current.current?.focus();
    } else if (refused) {
      next.current?.focus();
    }
  }, [wrong, refused]);

  const change = async () => {
    setBusy(true);
    setFailure(null);
    setNews(null);
    try {
      await call('put', '/password', { body: { current: typed.current, new: typed.next } });
      setTyped(NOTHING);
      setNews({ text: 'Password cambiata. Tutte le altre sessioni sono terminate.' });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready && !busy) {
      void change();
    }
  };
  const type = (changes: Partial<typeof NOTHING>) => {
    setTyped({ ...typed, ...changes });
    setFailure(null);
  };

  return (
    <form className={styles.form} aria-labelledby={title} onSubmit={submit}>
      <h3 className={styles.title} id={title}>
        Cambia password
      </h3>
      <Field label="Password attuale" error={wrong}>
        {(control) => (
          <PasswordInput
            {...control}
            ref={current}
            autoComplete="current-password"
            value={typed.current}
            onChange={(event) => type({ current: event.target.value })}
          />
        )}
      </Field>
      <Field
        label="Nuova password"
        hint="Meglio una frase di più parole. Le password più comuni non sono accettate."
        error={refused}
      >
        {(control) => (
          <PasswordInput
            {...control}
            ref={next}
            autoComplete="new-password"
            value={typed.next}
            onChange={(event) => type({ next: event.target.value })}
          />
        )}
      </Field>
      <Field label="Ripeti la nuova password">
        {(control) => (
          <PasswordInput
            {...control}
            autoComplete="new-password"
            value={typed.repeated}
            onChange={(event) => type({ repeated: event.target.value })}
          />
        )}
      </Field>
      {typed.next !== '' ? <RuleList rules={rules} /> : null}
      {failure && !wrong && !refused ? (
        <Message kind="error" title="Password non cambiata" onDismiss={() => setFailure(null)}>
          <FaultText error={failure} />
        </Message>
      ) : null}
      <div className={styles.foot}>
        <Button type="submit" inactive={!ready || busy} icon={busy ? <Spinner /> : undefined}>
          {busy ? 'Attendi…' : 'Cambia password'}
        </Button>
        <StatusMessage message={news} onDone={() => setNews(null)} />
      </div>
    </form>
  );
}
