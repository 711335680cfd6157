import { Send as Plane } from 'lucide-react';
import { useId, useState } from 'react';
import { call } from '../../shared/api/client';
import { ApiProblem, NetworkError } from '../../shared/api/errors';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { type Action, Failure, News, Send, useAction } from '../common/action';
import { faultOf, isProblem, refusalOf, ToldError } from '../common/errors';
import { changesFor, type EmailForm, type EmailSection, type SettingsForm } from './section';

/** The button that tries the mail server. */
export function EmailTestButton({ test: { possible, run, action } }: { test: EmailTest }) {
  const hint = useId();
  return (
    <Stack>
      <Text small tone="muted" id={hint}>
        {possible
          ? 'Spedisce una email di prova al destinatario, con i dati qui sopra così come sono, anche non salvati.'
          : 'Per la prova servono server, utente e password.'}
      </Text>
      <Row>
        <Send
          busy={action.busy}
          blocked={!possible}
          busyLabel="Invio in corso…"
          icon={<Plane aria-hidden="true" />}
          aria-describedby={hint}
          onClick={run}
        >
          Test Email
        </Send>
        <News of={action} />
      </Row>
      <Failure of={action} title="Email di prova non inviata" />
    </Stack>
  );
}

/** A mail server may take its time: longer than the server itself waits for it. */
const PATIENCE_MS = 90_000;

/** With another of these it is another login, for which the stored password does not count (PRODUCT.md §7). */
const LOGIN = ['smtpHost', 'smtpPort', 'smtpUsername'] as const;
/** What a test depends on. */
const TRIED = [...LOGIN, 'smtpPassword', 'smtpSecure', 'emailRecipient', 'emailFrom'] as const;

interface EmailTest {
  /** Server, user and password are there. */
  possible: boolean;
  /** Whether the form is as it was when its test failed. */
  failed: () => boolean;
  run: () => void;
  action: Action;
}

/** Whether the stored password does not count for the login in the form, and no other is typed. */
export function needsPassword(values: EmailForm, saved: EmailForm): boolean {
  const otherLogin = LOGIN.some((key) => values[key] !== saved[key]);
  return saved.smtpPasswordSet && values.smtpPassword === null && otherLogin;
}

function reasonOf(error: unknown): string {
  if (error instanceof NetworkError) {
    return `Errore di connessione: ${faultOf(error).text}`;
  }
  return (error instanceof ApiProblem && refusalOf(error)) || 'Errore durante il test email';
}

export function useEmailTest(
  { form, changes, refuse }: SettingsForm<'email'>,
  email: EmailSection,
): EmailTest {
  const action = useAction();
  const [failedOn, setFailedOn] = useState<string | null>(null);
  const values = form.watch();
  const saved = form.formState.defaultValues as EmailForm;
  const { smtpHost, smtpUsername, smtpPassword } = values;
  const tried = () => TRIED.map((key) => form.getValues(key)).join('\n');
  const password =
    Boolean(smtpPassword) ||
    (saved.smtpPasswordSet && smtpPassword === null && !needsPassword(values, saved));
  const possible = smtpHost.trim() !== '' && smtpUsername.trim() !== '' && password;

  const ask = async () => {
    const typed = Object.entries(changes()).filter(([key]) => TRIED.some((one) => one === key));
    const body = changesFor(Object.fromEntries(typed), email);
    return call('post', '/settings/email/test', { body, timeoutMs: PATIENCE_MS });
  };
  const run = async () => {
    const present = tried();
    try {
      const { success, message } = await ask();
      setFailedOn(success ? null : present);
      if (!success) {
        throw new ToldError(message || 'Errore durante il test email');
      }
      return message;
    } catch (error) {
      if (error instanceof ToldError) {
        throw error;
      }
      // Where fields are wrong nothing was tried, so there is no failed test to ask about before a save.
      const untried = isProblem(error, 'dati-non-validi');
      setFailedOn(untried ? null : present);
      if (untried) {
        refuse(error.errors);
      }
      throw new ToldError(reasonOf(error));
    }
  };
  return {
    possible,
    failed: () => failedOn === tried(),
    run: () => void action.run(run),
    action,
  };
}
