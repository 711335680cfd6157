/** The three steps of the first set-up. Must keep password and code in memory only. */

import { useEffect, useState } from 'react';
import { Link, Navigate, useLocation, useNavigate } from 'react-router-dom';
import { call } from '../../shared/api/client';
import { ApiProblem } from '../../shared/api/errors';
import { Announcer } from '../../shared/ui/announcer';
import { buttonClass } from '../../shared/ui/button';
import { Stack } from '../../shared/ui/layout';
import { Failure, useAction } from '../common/action';
import { isProblem } from '../common/errors';
import { paths } from '../common/paths';
import { Entrance } from '../entrance/entrance';
import { useSession, useSessionState } from '../session/session-context';
import { CodeStep, ConfirmStep, PasswordStep } from './steps';

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
      {action.failure ? <Failure of={action} title="Configurazione non riuscita" /> : null}
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
    <Stack>
      <p>Questo collegamento di configurazione è scaduto, incompleto o già usato. Per averne uno nuovo:</p>
      <Stack as="ul" gap={2} dotted>
        <li>riavvia il programma: all’avvio scrive nel terminale un nuovo collegamento, valido 30 minuti;</li>
        <li>
          oppure scegli la password direttamente dal terminale, con <code>segnalazioni reset-password</code>.
        </li>
      </Stack>
    </Stack>
  );
}

function Already() {
  return (
    <>
      <p>
        La password è già stata scelta. Se l’hai dimenticata, dal terminale del server usa{' '}
        <code>segnalazioni reset-password</code>.
      </p>
      <Link className={buttonClass} data-variant="primary" to={paths.login}>
        Vai al login
      </Link>
    </>
  );
}

/**
 * The one-time token of the set-up link. It travels behind the `#`, so no server sees it, and leaves the address bar at
 * once, so nobody reads it over a shoulder or from the history list.
 */
export function useSetupToken(): string | null {
  const { hash, pathname } = useLocation();
  const navigate = useNavigate();
  const [token, setToken] = useState(() => hash.slice(1) || null);

  useEffect(() => {
    if (hash.length > 1) {
      setToken(hash.slice(1));
      navigate(pathname, { replace: true });
    }
  }, [hash, pathname, navigate]);

  return token;
}

export type SetupStep =
  | { name: 'password'; fieldError?: string }
  | { name: 'code'; password: string; recoveryCode: string }
  | { name: 'confirm'; password: string; recoveryCode: string; fieldError?: string }
  /** The link is missing, used up, too old or cut. */
  | { name: 'bad-link' }
  /** Somebody has chosen a password in the meantime. */
  | { name: 'already' }
  | { name: 'done' };

/** Where a failed call leads; null when it says nothing about the set-up itself and may be tried again. */
function stepAfterFailure(error: unknown): SetupStep | null {
  if (isProblem(error, 'link-non-valido')) {
    return { name: 'bad-link' };
  }
  return isProblem(error, 'gia-configurato') ? { name: 'already' } : null;
}

/** Sends the new password for judgement and receives the recovery code. Rejects when trying again can help. */
export async function choosePassword(token: string, password: string): Promise<SetupStep> {
  try {
    const { recoveryCode } = await call('post', '/setup/recovery-code', { body: { token, password } });
    return { name: 'code', password, recoveryCode };
  } catch (error) {
    if (error instanceof ApiProblem && error.errors.password) {
      return { name: 'password', fieldError: error.errors.password };
    }
    const next = stepAfterFailure(error);
    if (next) {
      return next;
    }
    throw error;
  }
}

/** Finishes the set-up with the code as it was typed back. Rejects when trying again can help. */
export async function finishSetup(
  token: string,
  step: { password: string; recoveryCode: string },
  typed: string,
): Promise<SetupStep> {
  const { password, recoveryCode } = step;
  try {
    await call('post', '/setup', { body: { token, password, recoveryCode: typed.trim() } });
    return { name: 'done' };
  } catch (error) {
    if (error instanceof ApiProblem && error.errors.recoveryCode) {
      return { name: 'confirm', password, recoveryCode, fieldError: error.errors.recoveryCode };
    }
    if (error instanceof ApiProblem && error.errors.password) {
      return { name: 'password', fieldError: error.errors.password };
    }
    const next = stepAfterFailure(error);
    if (next) {
      return next;
    }
    throw error;
  }
}
