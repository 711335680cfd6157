/** A passkey being made: password and name, then the browser's own questions. Must keep both, whatever the browser says. */
import { type RefObject, useRef, useState } from 'react';
import { call } from '../../shared/api/client';
import { NetworkError } from '../../shared/api/errors';
import { Button } from '../../shared/ui/button';
import { Form } from '../../shared/ui/form';
import { Row, Text } from '../../shared/ui/layout';
import { PasswordField, TextField } from '../../shared/ui/text-field';
import { Failure, Send, useAction } from '../common/action';
import { browserOf } from '../common/browser';
import { errorsOf, isProblem, ToldError } from '../common/errors';
import { type Ceremony, makePasskey } from '../common/passkeys/ceremony';
import { toldOf } from '../common/passkeys/faults';
import styles from '../common/password-form.module.css';
import { useRefusal } from '../common/use-refusal';

const LONGEST_NAME = 60;

/** Said before the device makes anything. */
export const faultOfName = (name: string): string | undefined =>
  [...name.trim()].length > LONGEST_NAME ? `Al massimo ${LONGEST_NAME} caratteri.` : undefined;

/** Where it is made, told apart from those that have that name already; `Chrome su Windows`, without the version. */
export function nameFor(userAgent: string, taken: readonly string[]): string {
  const name =
    browserOf(userAgent)
      .replace(/ \d+/, '')
      .slice(0, LONGEST_NAME - 4) || 'La mia passkey';
  const others = taken.filter((one) => one === name || one.startsWith(`${name} `)).length;
  return others === 0 ? name : `${name} ${others + 1}`;
}

/** A passkey that the device has made, until the server has it. */
type Made = Ceremony & { question: string };

/** The server has not judged what was made: it can be sent again. */
const canBeSentAgain = (error: unknown) =>
  error instanceof NetworkError || errorsOf(error).name !== undefined;

/** The form has fields for name and password; what is wrong with the rest is said above them. */
function readable(error: unknown): unknown {
  const { question, answer } = errorsOf(error);
  const text = question ?? answer;
  return text === undefined ? error : new ToldError(text);
}

function useMaking(made: RefObject<Made | null>) {
  /** The browser asks a second time. */
  const [again, setAgain] = useState(false);
  const make = async (password: string): Promise<Made> => {
    const { question, options } = await call('post', '/account/passkeys/question', { body: { password } });
    const ceremony = await makePasskey(options, () => setAgain(true)).catch((error: unknown) => {
      throw toldOf(error, 'make');
    });
    return { question, ...ceremony };
  };
  const add = async (name: string, password: string): Promise<void> => {
    setAgain(false);
    made.current ??= await make(password);
    try {
      await call('post', '/account/passkeys', { body: { ...made.current, name } });
    } catch (error) {
      made.current = canBeSentAgain(error) ? made.current : null;
      throw readable(error);
    }
    made.current = null;
  };
  return { again, add };
}

interface AddPasskeyProps {
  taken: readonly string[];
  onDone: (name: string) => Promise<unknown>;
  onCancel: () => void;
}

export function AddPasskey({ taken, onDone, onCancel }: AddPasskeyProps) {
  const action = useAction();
  const { busy, failure } = action;
  const made = useRef<Made>(null);
  const { again, add } = useMaking(made);
  const [name, setName] = useState(() => nameFor(navigator.userAgent, taken));
  const [password, setPassword] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const told = useRefusal(form, failure);
  const wrong = errorsOf(failure);
  const tooLong = faultOfName(name);
  const blank = password === '' || name.trim() === '' || tooLong !== undefined;
  const send = () =>
    action.run(async () => {
      await add(name.trim(), password);
      await onDone(name.trim());
      return 'Passkey aggiunta.';
    });
  return (
    <Form
      ref={form}
      className={styles.form}
      label="Aggiungi una passkey"
      onSubmit={() => !blank && void send()}
    >
      {told ? null : <Failure of={action} title="Passkey non aggiunta" />}
      <TextField
        label="Nome della passkey"
        hint="Per riconoscerla: di solito, dove la conservi."
        error={tooLong ?? wrong.name}
        value={name}
        onValue={setName}
      />
      <PasswordField
        label="La tua password"
        error={isProblem(failure, 'password-non-valida') ? failure.detail : wrong.password}
        autoComplete="current-password"
        value={password}
        onValue={setPassword}
      />
      <Row>
        <Send variant="primary" busy={busy} blocked={blank} busyLabel="In attesa della conferma…">
          Continua
        </Send>
        <Button variant="quiet" inactive={busy} onClick={onCancel}>
          Annulla
        </Button>
        <Text small role="status">
          {busy && again
            ? 'Conferma ancora una volta, perché la passkey apra anche l’archivio sigillato.'
            : null}
        </Text>
      </Row>
    </Form>
  );
}
