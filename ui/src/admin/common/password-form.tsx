import { call } from '../../shared/api/client';
import { Row, Stack } from '../../shared/ui/layout';
import { Failure, Send, useAction } from './action';
import { errorsOf, isProblem } from './errors';
import { NewPasswordForm, type Passwords } from './new-password';
import styles from './password-form.module.css';

/** Change of one's own password, or of the shared one. It does not wait for the page's save. */
export function PasswordForm({ user }: { user?: string | undefined }) {
  const action = useAction();
  const { failure } = action;
  const wrong = {
    current: isProblem(failure, 'password-non-valida') ? failure.detail : undefined,
    next: errorsOf(failure).new,
  };
  const change = async ({ current, next }: Passwords) => {
    await call('put', '/password', { body: { current, new: next } });
    return 'Password cambiata. Tutte le altre sessioni sono terminate.';
  };
  return (
    <Stack as="section" gap={4} className={styles.form} aria-label="Cambia password">
      <h2>Cambia password</h2>
      {wrong.current || wrong.next ? null : <Failure of={action} title="Password non cambiata" />}
      <NewPasswordForm
        change
        user={user}
        repeatLabel="Ripeti la nuova password"
        wrong={wrong}
        onSubmit={(typed) => action.run(() => change(typed))}
      >
        {(ready) => (
          <Row>
            <Send busy={action.busy} blocked={!ready}>
              Cambia password
            </Send>
          </Row>
        )}
      </NewPasswordForm>
    </Stack>
  );
}
