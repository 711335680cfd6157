import { type FormEvent, useId } from 'react';
import { useForm } from 'react-hook-form';
import { call } from '../../shared/api/client';
import { ApiProblem } from '../../shared/api/errors';
import { Field } from '../../shared/ui/field';
import { Row, Stack } from '../../shared/ui/layout';
import { PasswordInput } from '../../shared/ui/password-input';
import { Failure, News, Send, useAction } from '../common/action';
import { isProblem } from '../common/errors';
import {
  isSendable,
  NewPassword,
  NO_PASSWORD,
  type PasswordFields,
  PasswordRules,
} from '../common/new-password';
import styles from './password-form.module.css';

/** Change of the one shared password. What is typed here is never kept, nor does it wait for the page's save. */
export function PasswordForm() {
  const title = useId();
  const form = useForm<PasswordFields>({ defaultValues: NO_PASSWORD, mode: 'onChange' });
  const typed = form.watch();
  const action = useAction();
  const ready = typed.current !== '' && isSendable(typed);

  const change = async () => {
    const { current, next } = form.getValues();
    try {
      await call('put', '/password', { body: { current, new: next } });
    } catch (error) {
      if (isProblem(error, 'password-non-valida')) {
        form.setError('current', { message: error.detail }, { shouldFocus: true });
      } else if (error instanceof ApiProblem && error.errors.new) {
        form.setError('next', { message: error.errors.new }, { shouldFocus: true });
      } else {
        throw error;
      }
      return null;
    }
    form.reset();
    return 'Password cambiata. Tutte le altre sessioni sono terminate.';
  };

  return (
    <Stack
      as="form"
      gap={4}
      className={styles.form}
      aria-labelledby={title}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (ready) {
          void action.run(change);
        }
      }}
    >
      <h3 id={title}>Cambia password</h3>
      <Field label="Password attuale" error={form.formState.errors.current?.message}>
        {(control) => (
          <PasswordInput {...control} {...form.register('current')} autoComplete="current-password" />
        )}
      </Field>
      <NewPassword form={form} repeatLabel="Ripeti la nuova password" />
      {typed.next !== '' ? <PasswordRules fields={typed} /> : null}
      <Failure of={action} title="Password non cambiata" />
      <Row>
        <Send busy={action.busy} blocked={!ready}>
          Cambia password
        </Send>
        <News of={action} />
      </Row>
    </Stack>
  );
}
