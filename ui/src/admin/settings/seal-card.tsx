import { useQueryClient } from '@tanstack/react-query';
import { Lock, LockOpen } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { call } from '../../shared/api/client';
import { ApiProblem } from '../../shared/api/errors';
import type { SealedMode } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Confirm } from '../../shared/ui/confirm';
import { Field } from '../../shared/ui/field';
import { Row, Stack } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { Spinner } from '../../shared/ui/spinner';
import { TextInput } from '../../shared/ui/text-input';
import { Failure, News, Send, useAction } from '../common/action';
import { Loaded } from '../common/loaded';
import { useRead } from '../common/use-read';

const SEALED = ['/security/sealed'];

/** 'Modalità sigillata': whether the server alone can read the reports (PRODUCT.md §4). */
export function SealCard() {
  return (
    <Card title="Modalità sigillata">
      <Loaded
        query={useRead('/security/sealed', { background: true })}
        failed="Non è stato possibile leggere lo stato della modalità sigillata"
        loading="Caricamento della modalità sigillata…"
        placeholder={<Skeleton lines={4} />}
      >
        {(mode) => <Shown mode={mode} />}
      </Loaded>
    </Card>
  );
}

function Shown({ mode }: { mode: SealedMode }) {
  const client = useQueryClient();
  const action = useAction();
  const { failure } = action;
  const refused = failure instanceof ApiProblem ? failure.errors.recoveryCode : undefined;
  const change = (ask: () => Promise<SealedMode>, news: string) =>
    action.run(async () => {
      try {
        client.setQueryData(SEALED, await ask());
        return news;
      } finally {
        void client.invalidateQueries({ queryKey: ['/logs'] });
      }
    });
  return (
    <Stack gap={6}>
      <Standing mode={mode} />
      {refused ? null : <Failure of={action} title="Modalità sigillata non cambiata" />}
      {mode.sealed ? (
        <Leave
          busy={action.busy}
          onLeave={() =>
            void change(() => call('delete', '/security/sealed', {}), 'Modalità sigillata disattivata.')
          }
        />
      ) : (
        <Enter
          busy={action.busy}
          refused={refused}
          onType={action.dismissFailure}
          seal={(recoveryCode) =>
            change(
              () => call('post', '/security/sealed', { body: { recoveryCode } }),
              'Modalità sigillata attivata.',
            )
          }
        />
      )}
      <News of={action} />
    </Stack>
  );
}

function Standing({ mode: { sealed, complete } }: { mode: SealedMode }) {
  const Icon = sealed ? Lock : LockOpen;
  return (
    <>
      <Row as="p" gap={2}>
        <Icon aria-hidden="true" />
        <strong>{sealed ? 'Attiva' : 'Non attiva'}</strong>
      </Row>
      <p>
        {sealed
          ? 'Le segnalazioni si leggono solo mentre qualcuno è collegato al pannello; arrivano in ogni momento. Un disco rubato, da solo, non serve a nulla.'
          : 'Il server tiene accanto ai dati la chiave che apre le segnalazioni. Chi ruba l’intero disco può leggerle; chi ruba solo un backup no.'}
      </p>
      {complete ? null : (
        <Message kind="warning">
          <p>
            Il file delle chiavi non è ancora come deve essere: esci e accedi di nuovo, e il server lo mette a
            posto.
          </p>
        </Message>
      )}
    </>
  );
}

interface EnterProps {
  busy: boolean;
  /** What the server says of the recovery code, when it refuses that. */
  refused: string | undefined;
  onType: () => void;
  /** Whether it worked. */
  seal: (code: string) => Promise<boolean>;
}

/** Asked twice, with the recovery code in between. */
function Enter({ busy, refused, onType, seal }: EnterProps) {
  const [step, setStep] = useState<'idle' | 'first' | 'code' | 'second'>('idle');
  const [code, setCode] = useState('');
  const type = (typed: string) => {
    setCode(typed);
    onType();
  };
  const giveUp = () => {
    type('');
    setStep('idle');
  };
  const confirm = async () => {
    setStep('code');
    if (await seal(code)) {
      giveUp();
    }
  };
  return (
    <>
      {step === 'idle' || step === 'first' ? (
        <div>
          <Button onClick={() => setStep('first')}>Attiva la modalità sigillata</Button>
        </div>
      ) : (
        <CodeForm
          code={code}
          refused={refused}
          busy={busy}
          onType={type}
          onSubmit={() => setStep('second')}
          onCancel={giveUp}
        />
      )}
      <Confirm
        open={step === 'first'}
        title="Attivare la modalità sigillata?"
        confirmLabel="Continua"
        onCancel={() => setStep('idle')}
        onConfirm={() => setStep('code')}
      >
        <p>
          La chiave che apre le segnalazioni viene tolta dal server. Per rileggerle serviranno la password o
          il codice di recupero: <strong>se si perdono entrambi, nessuno potrà più leggerle</strong>.
        </p>
        <p>Nel passo successivo ti chiediamo il codice di recupero, per essere certi che lo hai ancora.</p>
      </Confirm>
      <Confirm
        open={step === 'second'}
        title="Sei sicuro?"
        confirmLabel="Sigilla"
        onCancel={() => setStep('code')}
        onConfirm={() => void confirm()}
      >
        <p>
          Da adesso il server da solo non potrà più aprire le segnalazioni: neppure chi lo gestisce potrà
          rimediare a una password dimenticata senza il codice di recupero.
        </p>
      </Confirm>
    </>
  );
}

function Leave({ busy, onLeave }: { busy: boolean; onLeave: () => void }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <div>
        <Button inactive={busy} icon={busy ? <Spinner /> : undefined} onClick={() => setAsking(true)}>
          Disattiva la modalità sigillata
        </Button>
      </div>
      <Confirm
        open={asking}
        title="Disattivare la modalità sigillata?"
        confirmLabel="Disattiva"
        onCancel={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          onLeave();
        }}
      >
        <p>La chiave che apre le segnalazioni torna nel file delle chiavi del server, accanto ai dati.</p>
      </Confirm>
    </>
  );
}

interface CodeFormProps {
  code: string;
  /** What the server says of the code. */
  refused: string | undefined;
  busy: boolean;
  onType: (code: string) => void;
  onSubmit: () => void;
  onCancel: () => void;
}

function CodeForm({ code, refused, busy, onType, onSubmit, onCancel }: CodeFormProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (refused) {
      field.current?.focus();
    }
  }, [refused]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (code.trim() !== '' && !busy) {
      onSubmit();
    }
  };
  return (
    <Stack as="form" onSubmit={submit}>
      <Field
        label="Codice di recupero"
        hint="Le 32 lettere mostrate quando è stata impostata la prima password. Maiuscole, spazi e trattini non contano."
        error={refused}
      >
        {(control) => (
          <TextInput
            {...control}
            ref={field}
            autoComplete="off"
            spellCheck={false}
            value={code}
            onChange={(event) => onType(event.target.value)}
          />
        )}
      </Field>
      <Row>
        <Send busy={busy} blocked={code.trim() === ''}>
          Sigilla
        </Send>
        <Button variant="quiet" onClick={onCancel}>
          Annulla
        </Button>
      </Row>
    </Stack>
  );
}
