import { type FormEvent, useRef, useState } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { call } from '../../shared/api/client';
import { ApiProblem } from '../../shared/api/errors';
import { readBoot } from '../../shared/lib/boot';
import { messages } from '../../shared/messages';
import { Button } from '../../shared/ui/button';
import { Field } from '../../shared/ui/field';
import { Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { PasswordInput } from '../../shared/ui/password-input';
import { type Action, Failure, Send, useAction } from '../common/action';
import { isProblem } from '../common/errors';
import { paths, readTrail } from '../common/paths';
import { Entrance } from '../entrance/entrance';
import { useSession, useSessionState } from '../session/session-context';
import type { EndReason } from '../session/session-store';

/** Least time a login takes, in milliseconds: a fixed pause that makes guessing by hand tiresome. */
const LOGIN_DELAY_MS = 500;

const NOTICES: Readonly<Partial<Record<EndReason, string>>> = {
  expired: messages.login.expired,
  revoked: 'La sessione è terminata. Effettua nuovamente il login.',
  forgotten: 'Password giusta, ma il browser non ha conservato il cookie di accesso',
};

/** What to do where the browser keeps no cookie. */
const NO_COOKIE =
  'Consenti i cookie per questo sito e accedi di nuovo. Se l’indirizzo comincia con http:// e non è 127.0.0.1 o localhost, serve https://: chiedi a chi gestisce il programma.';

export function LoginPage() {
  const state = useSessionState();
  const session = useSession();
  const location = useLocation();
  const { from = paths.admin } = readTrail(location.state);
  // A login link of `segnalazioni login-link` carries its token there, where no server and no log sees it.
  const [link] = useState(() => location.hash.slice(1));
  const [demoPassword] = useState(() => readBoot().demoPassword);
  const [password, setPassword] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const action = useAction();
  const { busy, failure } = action;
  const blank = password.trim() === '';

  const logIn = async () => {
    const pause = new Promise((resolve) => setTimeout(resolve, LOGIN_DELAY_MS));
    try {
      await call('post', '/session', { body: link ? { password, link } : { password } });
    } finally {
      await pause;
    }
    await session.begin();
    return null;
  };
  const fill = (text: string) => {
    setPassword(text);
    input.current?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!blank && !(await action.run(logIn))) {
      input.current?.focus();
    }
  };

  // Somebody who is logged in already, here or in another tab, need not type anything.
  if (state.status === 'active') {
    return <Navigate to={from} replace />;
  }
  const ended = state.status === 'none' ? state.ended : null;
  const notice = ended ? NOTICES[ended] : undefined;
  return (
    <Entrance title="Accesso al pannello" subtitle="Area riservata alla redazione">
      <Stack as="form" gap={4} onSubmit={(event: FormEvent) => void submit(event)}>
        {notice && !failure ? (
          <Message kind="error" title={notice}>
            {ended === 'forgotten' ? <p>{NO_COOKIE}</p> : null}
          </Message>
        ) : null}
        <Fault of={action} />
        {demoPassword ? (
          // In the demonstration anybody may come in.
          <Message
            kind="info"
            title="Modalità dimostrativa"
            actions={<Button onClick={() => fill(demoPassword)}>Inserisci la password</Button>}
          >
            <p>Le segnalazioni sono inventate e nulla viene conservato.</p>
            <p>
              Password:{' '}
              <Text as="code" strong whole>
                {demoPassword}
              </Text>
            </p>
          </Message>
        ) : null}
        <Field label="Password">
          {(control) => (
            <PasswordInput
              {...control}
              ref={input}
              name="password"
              autoComplete="current-password"
              aria-invalid={isProblem(failure, 'password-non-valida') || undefined}
              required
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
        <Send variant="primary" busy={busy} blocked={blank} busyLabel={messages.login.busy}>
          {messages.login.submit}
        </Send>
      </Stack>
    </Entrance>
  );
}

/** Refusals whose sentence the server writes itself: wrong password, address not allowed, too many attempts. */
const TOLD_BY_SERVER = new Set(['password-non-valida', 'accesso-negato', 'troppi-tentativi']);

/** Never tells more than the server did. */
function Fault({ of }: { of: Action }) {
  const { failure, dismissFailure } = of;
  if (isProblem(failure, 'non-configurato')) {
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
  return failure instanceof ApiProblem && TOLD_BY_SERVER.has(failure.slug) ? (
    <Message kind="error" title={failure.detail} onDismiss={dismissFailure} />
  ) : (
    <Failure of={of} title={messages.login.failed} />
  );
}
