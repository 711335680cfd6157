/** The second factor: set up with an app, its recovery codes shown once, taken away. Must keep secret and codes in memory only. */

import { Download, KeyRound, ShieldCheck } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { call } from '../../shared/api/client';
import type { TotpOffer } from '../../shared/api/schema';
import { type Qr, qrOf } from '../../shared/lib/qr';
import { saveFile } from '../../shared/lib/save-file';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Form } from '../../shared/ui/form';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { PasswordField, TextField } from '../../shared/ui/text-field';
import { type Action, Failure, Send, useAction } from '../common/action';
import { CopyButton } from '../common/copy-button';
import { errorsOf, isProblem } from '../common/errors';
import { useAskBeforeLeaving, useLeaveGuard } from '../common/leave-guard';
import { knowsPasskeys } from '../common/passkeys/support';
import narrow from '../common/password-form.module.css';
import { useSession } from '../common/session/session-context';
import type { Who } from '../common/session/session-store';
import { useRead } from '../common/use-read';
import { useRefusal } from '../common/use-refusal';
import { Entrance } from '../entrance/entrance';
import styles from './account.module.css';
import { AddPasskey } from './add-passkey';
import { WHAT_IT_IS } from './passkeys-card';

export function SecondFactorCard({ who }: { who: Who }) {
  const session = useSession();
  const [setting, setSetting] = useState(false);
  const [removing, setRemoving] = useState(false);
  const removal = useAction();
  const done = () => {
    setSetting(false);
    setRemoving(false);
    // The session is read again; if that fails, the next reading shows the change.
    session.stay().catch(() => undefined);
  };
  const on = who.secondFactor === 'on';
  return (
    <Card title="Secondo fattore">
      {setting ? (
        <SetUp onDone={done} onCancel={() => setSetting(false)} />
      ) : (
        <Stack align="start">
          {on ? (
            <Row as="p" gap={2} nowrap data-tone="green">
              <ShieldCheck />
              Attivo: per accedere servono la password e il codice della tua app.
            </Row>
          ) : (
            <p>Oltre alla password, un codice che dà solo il tuo telefono: chi ruba la password non entra.</p>
          )}
          {removing ? (
            <Proof
              of={removal}
              label="Disattiva il secondo fattore"
              onCancel={() => {
                setRemoving(false);
                removal.dismissFailure();
              }}
              work={async (_, password) => {
                await call('delete', '/account/totp', { body: { password } });
                done();
              }}
            />
          ) : (
            <Row>
              <Button onClick={() => setSetting(true)}>
                {on ? 'Cambia telefono o codici' : 'Attiva il secondo fattore'}
              </Button>
              {on ? (
                <Button variant="quiet" onClick={() => setRemoving(true)}>
                  Disattiva
                </Button>
              ) : null}
            </Row>
          )}
        </Stack>
      )}
    </Card>
  );
}

/** In place of the panel, where the second factor has to be set up first. */
export function SecondFactorFirst({ onDone }: { onDone: () => Promise<void> }) {
  const session = useSession();
  const ask = useAskBeforeLeaving();
  const action = useAction();
  const [byPasskey, setByPasskey] = useState(false);
  const go = (way: () => Promise<void>) => void action.run(way);
  // Were the session not heard of, the passkey would be there all the same: it is not to be made again.
  const added = async () => setByPasskey(await action.run(onDone));
  return (
    <Entrance
      title="Attiva il secondo fattore"
      subtitle="La redazione lo chiede a tutti, prima di entrare nel pannello"
    >
      {byPasskey ? (
        <AddPasskey taken={[]} onDone={added} onCancel={() => setByPasskey(false)} />
      ) : (
        <SetUp onDone={() => go(onDone)} beside={<InsteadOfApp onChosen={() => setByPasskey(true)} />} />
      )}
      <Failure of={action} title="Operazione non riuscita" />
      <Button variant="quiet" onClick={() => ask(() => go(() => session.logout()))}>
        Esci
      </Button>
    </Entrance>
  );
}

/** A passkey does as well, where one can be made here. */
function InsteadOfApp({ onChosen }: { onChosen: () => void }) {
  const { data } = useRead('/account/passkeys', { background: true });
  return data?.offered && knowsPasskeys() ? (
    <Stack gap={2} align="start" boxed>
      <Text strong>Oppure una passkey, senza app e senza codici</Text>
      <Text small>{WHAT_IT_IS}</Text>
      <Button icon={<KeyRound />} onClick={onChosen}>
        Aggiungi una passkey
      </Button>
    </Stack>
  ) : null;
}

interface SetUpProps {
  onDone: () => void;
  onCancel?: () => void;
  /** Another way, until this one is gone. */
  beside?: ReactNode;
}

function SetUp({ onDone, onCancel, beside }: SetUpProps) {
  const action = useAction();
  const [begun, setBegun] = useState<(TotpOffer & { picture: Qr }) | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const begin = () =>
    action.run(async () => {
      const body = { secret: null, code: null, password: null };
      const answer = await call('post', '/account/totp', { body });
      if ('uri' in answer) {
        setBegun({ ...answer, picture: await qrOf(answer.uri) });
      }
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a secret is drawn once
  useEffect(() => void begin(), []);
  if (codes) {
    return <Codes codes={codes} onDone={onDone} />;
  }
  if (!begun) {
    return action.failure ? (
      <>
        <Failure of={action} title="Non è stato possibile cominciare" />
        <Button onClick={() => void begin()}>Riprova</Button>
      </>
    ) : (
      <p role="status">Preparazione…</p>
    );
  }
  const { size, path } = begun.picture;
  return (
    <Stack gap={4}>
      <p>
        Inquadra il codice con un’app di autenticazione, per esempio Aegis, Google Authenticator o il tuo
        gestore di password. Se sei già sul telefono, aprilo da qui o copia la chiave.
      </p>
      <svg
        className={styles.qr}
        viewBox={`0 0 ${size} ${size}`}
        role="img"
        aria-label="Codice QR da inquadrare con l’app"
      >
        <path d={path} />
      </svg>
      <Row>
        <a href={begun.uri}>Apri nell’app</a>
        <CopyButton text={begun.secret} label="Copia la chiave" />
      </Row>
      <Text small mono whole>
        {begun.secret}
      </Text>
      <Proof
        of={action}
        label="Attiva"
        codeLabel="Codice che vedi nell’app"
        onCancel={onCancel}
        work={async (code, password) => {
          const body = { secret: begun.secret, code, password };
          const answer = await call('post', '/account/totp', { body });
          setCodes('recoveryCodes' in answer ? answer.recoveryCodes : null);
        }}
      />
      {beside}
    </Stack>
  );
}

interface ProofProps {
  of: Action;
  label: string;
  codeLabel?: string;
  work: (code: string, password: string) => Promise<void>;
  onCancel?: (() => void) | undefined;
}

/** Asks for the password, and the code where one is wanted, before anything changes. */
function Proof({ of, label, codeLabel, work, onCancel }: ProofProps) {
  const [code, setCode] = useState('');
  const [password, setPassword] = useState('');
  const { failure } = of;
  const errors = errorsOf(failure);
  const wrongPassword = isProblem(failure, 'password-non-valida') ? failure.detail : errors.password;
  const wrongCode = isProblem(failure, 'secondo-fattore') ? failure.detail : errors.code;
  const form = useRef<HTMLFormElement>(null);
  const told = useRefusal(form, failure);
  const blank = password === '' || (codeLabel !== undefined && code.trim() === '');
  const send = () => work(code.replace(/\s/gu, ''), password);
  return (
    <Form ref={form} className={narrow.form} label={label} onSubmit={() => !blank && void of.run(send)}>
      {told ? null : <Failure of={of} title="Secondo fattore non cambiato" />}
      {codeLabel ? (
        <TextField
          label={codeLabel}
          error={wrongCode}
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onValue={setCode}
        />
      ) : null}
      <PasswordField
        label="La tua password"
        error={wrongPassword}
        autoComplete="current-password"
        value={password}
        onValue={setPassword}
      />
      <Row>
        <Send variant="primary" busy={of.busy} blocked={blank}>
          {label}
        </Send>
        {onCancel ? (
          <Button variant="quiet" onClick={onCancel}>
            Annulla
          </Button>
        ) : null}
      </Row>
    </Form>
  );
}

/** Shown in place of the form, and of the focus that was in it. */
const beginHere = (element: HTMLElement | null) => element?.focus();

function Codes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const text = codes.join('\n');
  useLeaveGuard(
    true,
    'I codici di recupero si vedono solo adesso. Se perdi il telefono e non li hai, non entri più.',
    'Codici non conservati',
  );
  return (
    <Stack gap={4}>
      <p role="status" ref={beginHere} tabIndex={-1}>
        <strong>Secondo fattore attivo.</strong> Conserva questi dieci codici: se perdi il telefono, ognuno ti
        fa entrare una volta. Non li vedrai più.
      </p>
      <Stack as="ul" gap={1} boxed aria-label="Codici di recupero">
        {codes.map((code) => (
          <Text as="li" mono strong key={code}>
            {code}
          </Text>
        ))}
      </Stack>
      <Row>
        <CopyButton text={text} label="Copia i codici" />
        <Button
          icon={<Download />}
          onClick={() => saveFile(new Blob([`${text}\n`], { type: 'text/plain' }), 'codici-di-recupero.txt')}
        >
          Scarica
        </Button>
        <Button variant="primary" onClick={onDone}>
          Li ho conservati
        </Button>
      </Row>
    </Stack>
  );
}
