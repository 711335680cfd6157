import { Send } from 'lucide-react';
import { useId } from 'react';
import { Button } from '../../shared/ui/button';
import { Message } from '../../shared/ui/message';
import { Spinner } from '../../shared/ui/spinner';
import { StatusMessage } from '../../shared/ui/status-message';
import type { EditsForm } from '../common/edits/use-edits';
import styles from './email-server.module.css';
import { NumberSetting, SecretSetting, SwitchSetting, TextSetting } from './fields';
import type { EmailForm } from './sections';
import { stackClass } from './settings-page';
import type { EmailTest } from './use-email-test';

interface EmailServerProps {
  form: EditsForm<EmailForm>;
  test: EmailTest;
}

/** The server that sends the mail, and the button that tries it. */
export function EmailServer({ form, test }: EmailServerProps) {
  return (
    <div className={stackClass}>
      <TextSetting form={form} name="smtpHost" label="Server" hint="Per esempio smtp.esempio.it." />
      <NumberSetting form={form} name="smtpPort" label="Porta" unit="di solito 587, oppure 465" />
      <TextSetting form={form} name="smtpUsername" label="Utente" />
      <SecretSetting
        form={form}
        name="smtpPassword"
        label="Password"
        stored={form.values.smtpPasswordSet}
        hint={
          test.needsPassword
            ? 'Hai cambiato server, porta o utente: salvando, la password di prima viene tolta. Scrivila di nuovo.'
            : undefined
        }
      />
      <SwitchSetting
        form={form}
        name="smtpSecure"
        label="Connessione cifrata (TLS)"
        hint="Da spegnere solo per un server su questa stessa macchina: senza, password e segnalazioni viaggiano in chiaro."
      />
      <hr />
      <Test test={test} />
    </div>
  );
}

function Test({ test }: { test: EmailTest }) {
  const hint = useId();
  return (
    <div className={styles.test}>
      <p className={styles.hint} id={hint}>
        {test.possible
          ? 'Spedisce una email di prova al destinatario, con i dati qui sopra così come sono, anche non salvati.'
          : 'Per la prova servono server, utente e password.'}
      </p>
      <div className={styles.row}>
        <Button
          inactive={!test.possible || test.busy}
          icon={test.busy ? <Spinner /> : <Send aria-hidden="true" />}
          aria-describedby={hint}
          onClick={test.run}
        >
          {test.busy ? 'Invio in corso…' : 'Test Email'}
        </Button>
        <StatusMessage message={test.news} onDone={test.dismissNews} />
      </div>
      {test.failure ? (
        <Message kind="error" title="Email di prova non inviata" onDismiss={test.dismissFailure}>
          <p>{test.failure}</p>
        </Message>
      ) : null}
    </div>
  );
}
