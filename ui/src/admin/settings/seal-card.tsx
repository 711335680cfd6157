import { useQueryClient } from '@tanstack/react-query';
import { Lock, LockOpen } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../shared/api/client';
import type { SealedMode } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Confirm } from '../../shared/ui/confirm';
import { Row, Stack } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { type Action, Asked, Failure, Send, useAction } from '../common/action';
import { errorsOf } from '../common/errors';
import { Loaded } from '../common/loaded';
import { RecoveryCodeForm } from '../common/recovery-code';
import { adopt, keyOf, useRead } from '../common/use-read';

/** 'Modalità sigillata': whether the server alone can read the reports (PRODUCT.md §12). */
export function SealCard() {
  const client = useQueryClient();
  const action = useAction();
  const take = async (mode: SealedMode) => {
    await adopt(client, keyOf('/security/sealed'), mode, keyOf('/logs'));
    return mode.sealed ? 'Modalità sigillata attivata.' : 'Modalità sigillata disattivata.';
  };
  const leave = () => call('delete', '/security/sealed', {}).then(take);
  const enter = (recoveryCode: string) =>
    call('post', '/security/sealed', { body: { recoveryCode } }).then(take);
  return (
    <Card>
      <Loaded
        query={useRead('/security/sealed', { background: true })}
        failed="Non è stato possibile leggere lo stato della modalità sigillata"
        loading="Caricamento della modalità sigillata…"
        placeholder={<Skeleton lines={4} />}
      >
        {(mode) => (
          <Stack gap={6}>
            <Standing mode={mode} />
            {refusedOf(action) ? null : <Failure of={action} title="Modalità sigillata non cambiata" />}
            {mode.sealed ? (
              <div>
                <Asked
                  of={action}
                  label="Disattiva la modalità sigillata"
                  title="Disattivare la modalità sigillata?"
                  confirmLabel="Disattiva"
                  variant="secondary"
                  work={leave}
                >
                  <p>
                    La chiave che apre le segnalazioni torna nel file delle chiavi del server, accanto ai
                    dati.
                  </p>
                </Asked>
              </div>
            ) : (
              <Enter action={action} enter={enter} />
            )}
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}

function refusedOf({ failure }: Action): string | undefined {
  return errorsOf(failure).recoveryCode;
}

function Standing({ mode: { sealed, complete } }: { mode: SealedMode }) {
  const Icon = sealed ? Lock : LockOpen;
  return (
    <>
      <Row as="p" gap={2}>
        <Icon />
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

function Enter({ action, enter }: { action: Action; enter: (code: string) => Promise<string> }) {
  const [typing, setTyping] = useState(false);
  const [code, setCode] = useState<string | null>(null);
  return (
    <>
      {typing ? (
        <RecoveryCodeForm
          hint="Le 32 lettere mostrate quando è stata impostata la prima password. Maiuscole, spazi e trattini non contano."
          refused={refusedOf(action)}
          onSubmit={setCode}
        >
          {(blank) => (
            <Row>
              <Send busy={action.busy} blocked={blank}>
                Sigilla
              </Send>
              <Button
                variant="quiet"
                onClick={() => {
                  setTyping(false);
                  action.dismissFailure();
                }}
              >
                Annulla
              </Button>
            </Row>
          )}
        </RecoveryCodeForm>
      ) : (
        <div>
          <Asked
            of={action}
            label="Attiva la modalità sigillata"
            title="Attivare la modalità sigillata?"
            confirmLabel="Continua"
            variant="secondary"
            work={async () => setTyping(true)}
          >
            <p>
              La chiave che apre le segnalazioni viene tolta dal server. Per rileggerle serviranno la password
              o il codice di recupero: <strong>se si perdono entrambi, nessuno potrà più leggerle</strong>.
            </p>
            <p>
              Nel passo successivo ti chiediamo il codice di recupero, per essere certi che lo hai ancora.
            </p>
          </Asked>
        </div>
      )}
      <Confirm
        open={code !== null}
        title="Sei sicuro?"
        confirmLabel="Sigilla"
        onCancel={() => setCode(null)}
        onConfirm={() => {
          setCode(null);
          void action.run(() => enter(code ?? ''));
        }}
      >
        <p>
          Da adesso il server da solo non potrà più aprire le segnalazioni: neppure chi lo gestisce potrà
          rimediare a una password dimenticata senza il codice di recupero.
        </p>
      </Confirm>
    </>
  );
}
