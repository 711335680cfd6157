import { Printer } from 'lucide-react';
import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { Button } from '../../shared/ui/button';
import { Row, Stack } from '../../shared/ui/layout';
import { Send } from '../common/action';
import { CopyButton } from '../common/copy-button';
import {
  isSendable,
  NewPassword,
  NO_PASSWORD,
  type PasswordFields,
  PasswordRules,
} from '../common/new-password';
import styles from './code-step.module.css';

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

interface CodeStepProps {
  recoveryCode: string;
  onContinue: () => void;
}

/** The recovery code, shown in this step only: what it is for, how to keep it. */
export function CodeStep({ recoveryCode, onContinue }: CodeStepProps) {
  return (
    <Stack gap={4}>
      <p>
        Le segnalazioni sono conservate cifrate. Se un giorno mancheranno sia la password sia le chiavi del
        server, per esempio perché resta solo una copia dei dati,{' '}
        <strong>questo codice sarà l’unico modo per rileggerle</strong>.
      </p>
      <p className={styles.code}>
        <span className="visually-hidden">Codice di recupero: </span>
        {recoveryCode.split(/(?<=-)/).map((group, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups may repeat and never move
          <span key={index} className={styles.group}>
            {group}
          </span>
        ))}
      </p>
      <Row className={styles.tools}>
        <CopyButton text={recoveryCode} label="Copia" />
        <Button icon={<Printer aria-hidden="true" />} onClick={() => window.print()}>
          Stampa
        </Button>
      </Row>
      <Stack as="ul" gap={2} dotted>
        <li>Stampalo, o salvalo in un gestore di password.</li>
        <li>Conservalo lontano dal server, in un luogo chiuso a chiave.</li>
        <li>Non lo vedrai più: nel passo successivo ti chiediamo di riscriverlo.</li>
      </Stack>
      <Button variant="primary" className={styles.next ?? ''} onClick={onContinue}>
        Ho conservato il codice
      </Button>
    </Stack>
  );
}
