import { type QueryClient, useQueryClient } from '@tanstack/react-query';
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
import { Send } from '../common/action-button';
import { Failure, News } from '../common/action-news';
import { Loaded } from '../common/loaded';
import { type Action, useAction } from '../common/use-action';
import { useRead } from '../common/use-read';
import styles from './seal-card.module.css';

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

interface SealChange extends Omit<Action, 'run'> {
  /** What the server says of the recovery code, when it refuses that. */
  refused: string | undefined;
  /** Whether it worked. */
  run: (work: (client: QueryClient) => Promise<string>) => Promise<boolean>;
}

/** Changes sealed mode. */
function useSealChange(): SealChange {
  const client = useQueryClient();
  const { run, ...action } = useAction();
  const { failure } = action;
  return {
    ...action,
    refused: failure instanceof ApiProblem ? failure.errors.recoveryCode : undefined,
    run: async (work) => {
      const done = await run(() => work(client));
      void client.invalidateQueries({ queryKey: ['/logs'] });
      return done;
    },
  };
}

function SealFailure({ change, title }: { change: SealChange; title: string }) {
  return change.refused ? null : <Failure of={change} title={title} />;
}

function Shown({ mode }: { mode: SealedMode }) {
  const change = useSealChange();
  return (
    <Stack gap={6}>
      <Standing mode={mode} />
      <SealFailure change={change} title="Modalità sigillata non cambiata" />
      {mode.sealed ? <Leave change={change} /> : <Enter change={change} />}
      <News of={change} />
    </Stack>
  );
}

function Standing({ mode: { sealed, complete } }: { mode: SealedMode }) {
  const Icon = sealed ? Lock : LockOpen;
  return (
    <>
      <p className={styles.standing}>
        <Icon aria-hidden="true" />
        <strong>{sealed ? 'Attiva' : 'Non attiva'}</strong>
      </p>
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

/** Asked twice, with the recovery code in between. */
function Enter({ change }: { change: SealChange }) {
  const [step, setStep] = useState<'idle' | 'first' | 'code' | 'second'>('idle');
  const [code, setCode] = useState('');
  const seal = async () => {
    setStep('code');
    const sealed = await change.run(async (client) => {
      client.setQueryData(SEALED, await call('post', '/security/sealed', { body: { recoveryCode: code } }));
      return 'Modalità sigillata attivata.';
    });
    if (sealed) {
      setCode('');
      setStep('idle');
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
          refused={change.refused}
          busy={change.busy}
          label="Sigilla"
          onType={(typed) => {
            setCode(typed);
            change.dismissFailure();
          }}
          onSubmit={() => setStep('second')}
          onCancel={() => {
            setCode('');
            change.dismissFailure();
            setStep('idle');
          }}
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
        onConfirm={() => void seal()}
      >
        <p>
          Da adesso il server da solo non potrà più aprire le segnalazioni: neppure chi lo gestisce potrà
          rimediare a una password dimenticata senza il codice di recupero.
        </p>
      </Confirm>
    </>
  );
}

function Leave({ change }: { change: SealChange }) {
  const [asking, setAsking] = useState(false);
  const unseal = () =>
    change.run(async (client) => {
      client.setQueryData(SEALED, await call('delete', '/security/sealed', {}));
      return 'Modalità sigillata disattivata.';
    });
  return (
    <>
      <div>
        <Button
          inactive={change.busy}
          icon={change.busy ? <Spinner /> : undefined}
          onClick={() => setAsking(true)}
        >
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
          void unseal();
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
  label: string;
  onType: (code: string) => void;
  onSubmit: () => void;
  onCancel?: () => void;
}

function CodeForm({ code, refused, busy, label, onType, onSubmit, onCancel }: CodeFormProps) {
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
          {label}
        </Send>
        {onCancel ? (
          <Button variant="quiet" onClick={onCancel}>
            Annulla
          </Button>
        ) : null}
      </Row>
    </Stack>
  );
}
