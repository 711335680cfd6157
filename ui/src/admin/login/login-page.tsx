import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { call } from '../../shared/api/client';
import { ApiProblem, NetworkError } from '../../shared/api/errors';
import { readBoot } from '../../shared/lib/boot';
import { messages } from '../../shared/messages';
import { Button } from '../../shared/ui/button';
import { Field } from '../../shared/ui/field';
import { Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { PasswordInput } from '../../shared/ui/password-input';
import { Spinner } from '../../shared/ui/spinner';
import { paths, readTrail } from '../common/paths';
import { Entrance } from '../entrance/entrance';
import { useSession, useSessionState } from '../session/session-context';
import type { EndReason } from '../session/session-store';

/** Least time a login takes, in milliseconds: a fixed pause that makes guessing by hand tiresome. */
const LOGIN_DELAY_MS = 500;

const NOTICES: Readonly<Partial<Record<EndReason, string>>> = {
  expired: messages.login.expired,
  revoked: 'La sessione è terminata. Effettua nuovamente il login.',
};

export function LoginPage() {
  const state = useSessionState();
  const session = useSession();
  const { from = paths.admin } = readTrail(useLocation().state);
  const login = useLogin();
  const [demoPassword] = useState(() => readBoot().demoPassword);

  // Somebody who is logged in already, here or in another tab, need not type anything.
  useEffect(() => {
    if (session.state.status === 'unknown') {
      void session.check();
    }
  }, [session]);

  if (state.status === 'active') {
    return <Navigate to={from} replace />;
  }
  const notice = state.status === 'none' && state.ended ? NOTICES[state.ended] : undefined;
  return (
    <Entrance title="Accesso al pannello" subtitle="Area riservata alla redazione">
      <Stack as="form" gap={4} onSubmit={login.submit}>
        {notice && !login.fault ? <Message kind="error" title={notice} /> : null}
        {login.fault ? <Fault fault={login.fault} onDismiss={login.dismiss} /> : null}
        {demoPassword ? <DemoHint password={demoPassword} onFill={() => login.fill(demoPassword)} /> : null}
        <Field label="Password">
          {(control) => (
            <PasswordInput
              {...control}
              ref={login.input}
              name="password"
              autoComplete="current-password"
              aria-invalid={login.rejected || undefined}
              required
              value={login.password}
              onChange={(event) => login.type(event.target.value)}
            />
          )}
        </Field>
        <Button
          type="submit"
          variant="primary"
          inactive={login.busy || login.password.trim() === ''}
          icon={login.busy ? <Spinner /> : undefined}
        >
          {login.busy ? messages.login.busy : messages.login.submit}
        </Button>
      </Stack>
    </Entrance>
  );
}

function useLogin() {
  const session = useSession();
  const input = useRef<HTMLInputElement>(null);
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<LoginFault | null>(null);

  const logIn = async () => {
    setBusy(true);
    setFault(null);
    const pause = new Promise((resolve) => setTimeout(resolve, LOGIN_DELAY_MS));
    try {
      await Promise.all([call('post', '/session', { body: { password } }), pause]);
      await session.begin();
    } catch (error) {
      await pause;
      setFault(loginFaultOf(error));
      input.current?.focus();
    } finally {
      setBusy(false);
    }
  };
  return {
    input,
    password,
    busy,
    fault,
    rejected: fault?.kind === 'refused' && fault.title === messages.login.wrongPassword,
    type: setPassword,
    fill: (text: string) => {
      setPassword(text);
      input.current?.focus();
    },
    dismiss: () => setFault(null),
    submit: (event: FormEvent) => {
      event.preventDefault();
      if (!busy && password.trim() !== '') {
        void logIn();
      }
    },
  };
}

function Fault({ fault, onDismiss }: { fault: LoginFault; onDismiss: () => void }) {
  if (fault.kind === 'not-configured') {
    return (
      <Message kind="error" title="Il pannello non è ancora configurato">
        <p>
          Nessuno ha ancora scelto la password. Apri il collegamento di configurazione che il programma ha
          scritto nel terminale all’avvio: vale 30 minuti. Se è scaduto, riavvia il programma per averne uno
          nuovo.
        </p>
      </Message>
    );
  }
  return (
    <Message kind="error" title={fault.title} onDismiss={onDismiss}>
      {fault.text ? <p>{fault.text}</p> : null}
    </Message>
  );
}

interface DemoHintProps {
  password: string;
  /** Puts the password into the form. */
  onFill: () => void;
}

/** In the demonstration anybody may come in: the password stands beside the box that asks for it. */
export function DemoHint({ password, onFill }: DemoHintProps) {
  return (
    <Message
      kind="info"
      title="Modalità dimostrativa"
      actions={<Button onClick={onFill}>Inserisci la password</Button>}
    >
      <p>Le segnalazioni sono inventate e nulla viene conservato.</p>
      <p>
        Password:{' '}
        <Text as="code" strong whole>
          {password}
        </Text>
      </p>
    </Message>
  );
}

export type LoginFault =
  /** Nobody has chosen a password yet: nothing that is typed here can work. */
  { kind: 'not-configured' } | { kind: 'refused'; title: string; text?: string };

/** Refusals whose sentence the server writes itself: wrong password, address not allowed, too many attempts. */
const TOLD_BY_SERVER = new Set(['password-non-valida', 'accesso-negato', 'troppi-tentativi']);

/** Never tells more than the server did. */
export function loginFaultOf(error: unknown): LoginFault {
  if (error instanceof ApiProblem) {
    if (error.slug === 'non-configurato') {
      return { kind: 'not-configured' };
    }
    if (TOLD_BY_SERVER.has(error.slug) && error.detail) {
      return { kind: 'refused', title: error.detail };
    }
    return { kind: 'refused', title: messages.login.failed, ...(error.detail ? { text: error.detail } : {}) };
  }
  if (error instanceof NetworkError) {
    return { kind: 'refused', title: messages.login.failed, text: messages.network };
  }
  return { kind: 'refused', title: messages.login.failed };
}
