import { useEffect, useState } from 'react';
import { Link, Navigate } from 'react-router-dom';
import { Announcer } from '../../shared/ui/announcer';
import { buttonClass } from '../../shared/ui/button';
import { Failure } from '../common/action-news';
import { paths } from '../common/paths';
import { useAction } from '../common/use-action';
import { Entrance } from '../entrance/entrance';
import styles from '../entrance/form.module.css';
import { useSession, useSessionState } from '../session/session-context';
import { CodeStep } from './code-step';
import { ConfirmStep } from './confirm-step';
import { PasswordStep } from './password-step';
import { choosePassword, finishSetup, type SetupStep } from './setup-flow';
import { useSetupToken } from './use-setup-token';

const TITLES: Readonly<Record<SetupStep['name'], { title: string; subtitle?: string }>> = {
  password: { title: 'Configura il pannello', subtitle: 'Passo 1 di 3: scegli la password della redazione' },
  code: { title: 'Il codice di recupero', subtitle: 'Passo 2 di 3: conserva il codice' },
  confirm: { title: 'Verifica il codice', subtitle: 'Passo 3 di 3: riscrivi il codice' },
  'bad-link': { title: 'Collegamento non valido' },
  already: { title: 'Il pannello è già configurato' },
  done: { title: 'Configurazione completata' },
};

export function SetupPage() {
  const token = useSetupToken();
  // A new link opened in the same tab starts from the beginning.
  return (
    <>
      <Setup key={token} token={token} />
      <Announcer />
    </>
  );
}

function Setup({ token }: { token: string | null }) {
  const session = useSession();
  const state = useSessionState();
  const [step, setStep] = useState<SetupStep>(token ? { name: 'password' } : { name: 'bad-link' });
  const action = useAction();
  const { busy } = action;
  const run = (work: () => Promise<SetupStep>) =>
    void action.run(async () => {
      setStep(await work());
      return null;
    });
  useEffect(() => {
    if (step.name === 'done') {
      void session.begin();
    }
  }, [step.name, session]);

  if (step.name === 'done' && state.status === 'active') {
    return <Navigate to={paths.admin} replace />;
  }
  return (
    <Entrance key={step.name} {...TITLES[step.name]}>
      {action.failure ? (
        <div className={styles.text}>
          <Failure of={action} title="Configurazione non riuscita" />
        </div>
      ) : null}
      {step.name === 'password' && token ? (
        <PasswordStep
          error={step.fieldError}
          busy={busy}
          onSubmit={(password) => run(() => choosePassword(token, password))}
        />
      ) : null}
      {step.name === 'code' ? (
        <CodeStep recoveryCode={step.recoveryCode} onContinue={() => setStep({ ...step, name: 'confirm' })} />
      ) : null}
      {step.name === 'confirm' && token ? (
        <ConfirmStep
          error={step.fieldError}
          busy={busy}
          onSubmit={(typed) => run(() => finishSetup(token, step, typed))}
          onBack={() => setStep({ name: 'code', password: step.password, recoveryCode: step.recoveryCode })}
        />
      ) : null}
      {step.name === 'bad-link' ? <BadLink /> : null}
      {step.name === 'already' ? <Already /> : null}
      {step.name === 'done' ? <p role="status">Accesso in corso...</p> : null}
    </Entrance>
  );
}

function BadLink() {
  return (
    <div className={styles.text}>
      <p>Questo collegamento di configurazione è scaduto, incompleto o già usato. Per averne uno nuovo:</p>
      <ul className={styles.ways}>
        <li>riavvia il programma: all’avvio scrive nel terminale un nuovo collegamento, valido 30 minuti;</li>
        <li>
          oppure scegli la password direttamente dal terminale, con <code>segnalazioni reset-password</code>.
        </li>
      </ul>
    </div>
  );
}

function Already() {
  return (
    <>
      <div className={styles.text}>
        <p>
          La password è già stata scelta. Se l’hai dimenticata, dal terminale del server usa{' '}
          <code>segnalazioni reset-password</code>.
        </p>
      </div>
      <Link className={buttonClass} data-variant="primary" to={paths.login}>
        Vai al login
      </Link>
    </>
  );
}
