import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { call } from '../../shared/api/client';
import { ApiProblem } from '../../shared/api/errors';
import { readBoot } from '../../shared/lib/boot';
import { messages } from '../../shared/messages';
import { Button } from '../../shared/ui/button';
import { Form } from '../../shared/ui/form';
import { Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { PasswordField, TextField } from '../../shared/ui/text-field';
import { type Action, Failure, Send, useAction } from '../common/action';
import { isProblem, ToldError } from '../common/errors';
import { paths, readTrail } from '../common/paths';
import { useSession, useSessionState } from '../common/session/session-context';
import type { EndReason } from '../common/session/session-store';
import { Entrance } from '../entrance/entrance';
import { useOffer } from './offer';
import { rememberedWay, rememberWay } from './way';

const PasskeyWay = lazy(() =>
  import('./passkey-way').then(
    (part) => ({ default: part.PasskeyWay }),
    // One way fewer; the others stay.
    () => ({ default: () => null }),
  ),
);

/** Least time a login takes, in milliseconds: a fixed pause that makes guessing by hand tiresome. */
const LOGIN_DELAY_MS = 500;

const NOTICES: Readonly<Partial<Record<EndReason, string>>> = {
  expired: messages.login.expired,
  revoked: 'La sessione è terminata. Effettua nuovamente il login.',
  forgotten: 'Password giusta, ma il browser non ha conservato il cookie di accesso',
};

const NO_COOKIE =
  'Consenti i cookie per questo sito e accedi di nuovo. Se l’indirizzo comincia con http:// e non è 127.0.0.1 o localhost, serve https://: chiedi a chi gestisce il programma.';

async function slowly<T>(work: Promise<T>): Promise<T> {
  const pause = new Promise((resolve) => setTimeout(resolve, LOGIN_DELAY_MS));
  return work.finally(() => pause);
}

export function LoginPage() {
  const state = useSessionState();
  const session = useSession();
  const location = useLocation();
  const { from = paths.admin } = readTrail(location.state);
  // A login link of `segnalazioni login-link` carries its token there, where no server and no log sees it.
  const [link] = useState(() => location.hash.slice(1));
  const [{ demoPassword, unset }] = useState(() => readBoot());
  const [personal, setPersonal] = useState(rememberedWay);
  const [user, setUser] = useState('');
  const [password, setPassword] = useState('');
  /** The code of the second factor; null until it is asked for. */
  const [code, setCode] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const action = useAction();
  const { busy, failure } = action;
  const { offer, ...passkeys } = useOffer(state.status === 'none' && !unset);
  const filled = offer?.question ? ' webauthn' : '';
  const blank = [password, personal ? user : '-', code ?? '-'].some((text) => text.trim() === '');

  const logIn = async () => {
    const who = personal ? { user: user.trim(), ...(code !== null && { code: code.trim() }) } : {};
    try {
      await slowly(call('post', '/session', { body: { ...who, password, ...(link && { link }) } }));
    } catch (error) {
      if (!isProblem(error, 'secondo-fattore') || code !== null) {
        throw error;
      }
      setCode('');
      return;
    }
    rememberWay(personal);
    await session.begin();
  };
  const change = (to: boolean) => {
    setPersonal(to);
    action.dismissFailure();
  };
  const fill = (text: string) => {
    setPassword(text);
    input.current?.focus();
  };
  const submit = async () => {
    if (!blank && !(await action.run(logIn))) {
      input.current?.focus();
    }
  };

  // With a session, of this tab or another, nothing has to be typed.
  if (state.status === 'active') {
    return <Navigate to={from} replace />;
  }
  const ended = state.status === 'none' ? state.ended : null;
  // The page says how it was when it was loaded: who has had a session since needs no telling.
  if (unset && ended === null) {
    return (
      <Entrance title="Il pannello non è ancora configurato" subtitle="Area riservata alla redazione">
        <HowToSetUp />
        <Button variant="primary" onClick={() => window.location.reload()}>
          La password c’è: ricarica
        </Button>
      </Entrance>
    );
  }
  const notice = ended ? NOTICES[ended] : undefined;
  return (
    <Entrance title="Accesso al pannello" subtitle="Area riservata alla redazione">
      <Form onSubmit={submit}>
        {notice && !failure ? (
          <Message kind="error" title={notice}>
            {ended === 'forgotten' ? <p>{NO_COOKIE}</p> : null}
          </Message>
        ) : null}
        <Fault of={action} />
        {demoPassword ? (
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
        {code === null ? (
          <>
            {personal ? (
              <TextField
                label="Nome utente"
                name="username"
                autoComplete={`username${filled}`}
                autoCapitalize="none"
                spellCheck={false}
                required
                value={user}
                onValue={setUser}
              />
            ) : null}
            <PasswordField
              label="Password"
              ref={input}
              name="password"
              autoComplete={`current-password${filled}`}
              aria-invalid={isProblem(failure, 'password-non-valida') || undefined}
              required
              value={password}
              onValue={setPassword}
            />
          </>
        ) : (
          <CodeField
            box={input}
            value={code}
            onValue={setCode}
            wrong={isProblem(failure, 'secondo-fattore') ? failure.detail : undefined}
          />
        )}
        <Send variant="primary" busy={busy} blocked={blank} busyLabel={messages.login.busy}>
          {messages.login.submit}
        </Send>
        {code === null ? (
          <Button variant="quiet" onClick={() => change(!personal)}>
            {personal ? 'Accedi con la password della redazione' : 'Accedi con il tuo nome utente'}
          </Button>
        ) : (
          <Button
            variant="quiet"
            onClick={() => {
              setCode(null);
              change(true);
            }}
          >
            Torna indietro
          </Button>
        )}
        {offer && code === null ? (
          <Suspense>
            <PasskeyWay {...passkeys} offer={offer} of={action} link={link} />
          </Suspense>
        ) : null}
      </Form>
    </Entrance>
  );
}

interface CodeFieldProps {
  box: RefObject<HTMLInputElement | null>;
  value: string;
  onValue: (code: string) => void;
  wrong: string | undefined;
}

function CodeField({ box, value, onValue, wrong }: CodeFieldProps) {
  const [recovery, setRecovery] = useState(false);
  useEffect(() => box.current?.focus(), [box]);
  return (
    <>
      <TextField
        label={recovery ? 'Codice di recupero' : 'Codice di verifica'}
        hint={recovery ? 'Uno dei dieci che hai conservato.' : 'Le 6 cifre che vedi nell’app.'}
        error={wrong}
        ref={box}
        name="code"
        autoComplete="one-time-code"
        inputMode={recovery ? 'text' : 'numeric'}
        autoCapitalize="none"
        spellCheck={false}
        value={value}
        onValue={onValue}
      />
      {recovery ? null : (
        <Button variant="quiet" onClick={() => setRecovery(true)}>
          Non hai il telefono? Usa un codice di recupero
        </Button>
      )}
    </>
  );
}

/** Refusals whose sentence the server writes itself: wrong password or passkey, address not allowed, too many attempts. */
const TOLD_BY_SERVER = new Set([
  'password-non-valida',
  'passkey-non-valida',
  'accesso-negato',
  'troppi-tentativi',
]);

function HowToSetUp() {
  return (
    <>
      <p>Nessuno ha ancora scelto la password. Si fa sul server, in uno di questi modi:</p>
      <Stack as="ul" gap={2} dotted>
        <li>
          apri il link che il programma ha scritto nel terminale all’avvio: vale 30 minuti, e un riavvio ne
          scrive uno nuovo;
        </li>
        <li>
          oppure scegli la password dal terminale, con <code>segnalazioni reset-password</code>.
        </li>
      </Stack>
    </>
  );
}

/** Never tells more than the server did. */
function Fault({ of }: { of: Action }) {
  const { failure, dismissFailure } = of;
  if (isProblem(failure, 'non-configurato')) {
    return (
      <Message kind="error" title="Il pannello non è ancora configurato">
        <HowToSetUp />
      </Message>
    );
  }
  // Told at its field.
  if (isProblem(failure, 'secondo-fattore')) {
    return null;
  }
  return failure instanceof ApiProblem && TOLD_BY_SERVER.has(failure.slug) ? (
    <Message kind="error" title={failure.detail} onDismiss={dismissFailure} />
  ) : (
    <Failure of={of} title={failure instanceof ToldError ? 'Accesso non riuscito' : messages.login.failed} />
  );
}
