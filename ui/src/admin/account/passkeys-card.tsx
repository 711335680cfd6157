/** One's own passkeys: what they are, made, named and removed. Where none can be made, it says why. */
import { KeyRound } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router-dom';
import { type Answer, call } from '../../shared/api/client';
import type { Passkey } from '../../shared/api/schema';
import { formatDate, formatDateTime } from '../../shared/lib/dates';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { TextField } from '../../shared/ui/text-field';
import { Asked, Failure, useAction } from '../common/action';
import { errorsOf } from '../common/errors';
import { Details } from '../common/fold';
import { FormDialog } from '../common/form-dialog';
import { Loaded } from '../common/loaded';
import { knowsPasskeys } from '../common/passkeys/support';
import { paths } from '../common/paths';
import { useRights, useSession } from '../common/session/session-context';
import { useRead, useRefresh } from '../common/use-read';
import { AddPasskey, faultOfName } from './add-passkey';

type Passkeys = Answer<'/account/passkeys'>;

export const WHAT_IT_IS =
  'Accedi con l’impronta, il volto o il PIN del tuo telefono o computer, senza scrivere la password: una pagina falsa non può rubartela.';

export function PasskeysCard() {
  const { who } = useRights();
  return (
    <Card title="Passkey">
      <Stack gap={4}>
        <p>{WHAT_IT_IS}</p>
        {who ? <Own /> : <OfNobody />}
      </Stack>
    </Card>
  );
}

function OfNobody() {
  return (
    <Text tone="muted">
      Una passkey è di una persona sola, la password della redazione è di tutti. Per averne una serve un
      accesso personale: si crea in <Link to={paths.setting('security/people')}>Persone</Link>.
    </Text>
  );
}

function Own() {
  const passkeys = useRead('/account/passkeys', { background: true });
  return (
    <Loaded
      query={passkeys}
      loading="Caricamento delle passkey…"
      failed="Non è stato possibile leggere le passkey"
    >
      {(known) => (
        <>
          <Entries known={known} />
          <Adding known={known} />
          <LostPhone />
        </>
      )}
    </Loaded>
  );
}

/** A change of the list may change what the session has to ask for. */
function useChanged() {
  const refresh = useRefresh();
  const session = useSession();
  return async () => {
    await refresh('/account/passkeys');
    // If that fails, the next reading shows it.
    session.stay().catch(() => undefined);
  };
}

function Entries({ known: { data, sealed, host } }: { known: Passkeys }) {
  const action = useAction();
  const changed = useChanged();
  const [renaming, setRenaming] = useState<Passkey | null>(null);
  const remove = (one: Passkey) => async () => {
    await call('delete', '/account/passkeys/{id}', { path: { id: one.id } });
    await changed();
    return `Passkey rimossa: ${one.name}`;
  };
  return (
    <>
      {data.length > 0 ? (
        <Stack as="ul" lined aria-label="Le tue passkey">
          {data.map((one) => (
            <Entry
              key={one.id}
              one={one}
              sealed={sealed}
              gone={host !== null && new URL(host).hostname !== one.host}
            >
              <Button about={one.name} onClick={() => setRenaming(one)}>
                Rinomina
              </Button>
              <Asked
                of={action}
                label="Rimuovi"
                about={one.name}
                title={`Rimuovere “${one.name}”?`}
                confirmLabel="Rimuovi"
                variant="quiet"
                work={remove(one)}
              >
                <p>Da subito non fa più entrare, e chi è nel pannello con questa passkey ne esce.</p>
                <p>Cancellala poi anche dal dispositivo o dal gestore di password: lì non serve più.</p>
              </Asked>
            </Entry>
          ))}
        </Stack>
      ) : null}
      <Failure of={action} title="Passkey non rimossa" />
      {renaming ? <RenameDialog one={renaming} onClose={() => setRenaming(null)} /> : null}
    </>
  );
}

interface EntryProps {
  one: Passkey;
  sealed: boolean;
  /** It was for an address that the newsroom has no more. */
  gone: boolean;
  children: ReactNode;
}

function Entry({ one, sealed, gone, children }: EntryProps) {
  const { name, created, lastUsed, opens } = one;
  const used = lastUsed ? `ultimo accesso ${formatDateTime(lastUsed)}` : 'mai usata';
  return (
    <Row as="li" justify="between">
      <Stack gap={1}>
        <Text strong>{name}</Text>
        <Text tone="muted" small digits>{`Dal ${formatDate(created)} · ${used}`}</Text>
        {gone ? (
          <Text tone="warning" small>
            Non fa più entrare: valeva su {one.host}. Rimuovila e aggiungine un’altra.
          </Text>
        ) : null}
        {sealed && !gone ? (
          <Text tone={opens ? 'muted' : 'warning'} small>
            {opens
              ? 'Apre anche l’archivio sigillato.'
              : 'Fa entrare, ma non apre l’archivio sigillato: se è chiuso, ti chiede la password una volta.'}
          </Text>
        ) : null}
      </Stack>
      <Row gap={1}>{children}</Row>
    </Row>
  );
}

function RenameDialog({ one, onClose }: { one: Passkey; onClose: () => void }) {
  const action = useAction();
  const changed = useChanged();
  const [name, setName] = useState(one.name);
  const typed = name.trim();
  const tooLong = faultOfName(name);
  const blocked = typed === '' || tooLong !== undefined;
  const save = () =>
    action.run(async () => {
      await call('patch', '/account/passkeys/{id}', { path: { id: one.id }, body: { name: typed } });
      await changed();
      onClose();
      return 'Nome salvato.';
    });
  return (
    <FormDialog
      title="Rinomina la passkey"
      of={action}
      failed="Nome non salvato"
      label="Salva"
      blocked={blocked}
      onSubmit={() => !blocked && save()}
      onClose={onClose}
    >
      <TextField
        label="Nome della passkey"
        error={tooLong ?? errorsOf(action.failure).name}
        value={name}
        onValue={setName}
      />
    </FormDialog>
  );
}

function Adding({ known: { data, offered, host } }: { known: Passkeys }) {
  const changed = useChanged();
  const [adding, setAdding] = useState(false);
  if (!offered) {
    return <NotHere host={host} />;
  }
  if (!knowsPasskeys()) {
    return (
      <Text tone="muted">
        Questo browser non conosce le passkey. Aggiornalo, o apri questa pagina con un altro.
      </Text>
    );
  }
  return adding ? (
    <AddPasskey
      taken={data.map(({ name }) => name)}
      onDone={async () => {
        await changed();
        setAdding(false);
      }}
      onCancel={() => setAdding(false)}
    />
  ) : (
    <Row>
      <Button icon={<KeyRound />} onClick={() => setAdding(true)}>
        Aggiungi una passkey
      </Button>
    </Row>
  );
}

/** A passkey belongs to one address. */
function NotHere({ host }: { host: string | null }) {
  return (
    <Text tone="muted">
      {host ? (
        <>
          Le passkey valgono a un solo indirizzo: aprilo per aggiungerne una.{' '}
          <a href={host + window.location.pathname}>{new URL(host).host}</a>
        </>
      ) : (
        <>
          Qui non se ne possono aggiungere: il pannello non ha ancora un indirizzo pubblico suo. Lo imposta
          chi gestisce il server, con <code>public_url</code>.
        </>
      )}
    </Text>
  );
}

function LostPhone() {
  return (
    <Details summary="Se perdi il telefono">
      <Stack as="ul" gap={2} dotted>
        <li>Chi lo trova non può usare la passkey senza il tuo volto, la tua impronta o il tuo PIN.</li>
        <li>Accedi con la password e rimuovi qui la passkey: da quel momento non fa più entrare nessuno.</li>
        <li>
          Se la conservi nell’account Apple o Google, o in un gestore di password, la ritrovi sul telefono
          nuovo.
        </li>
        <li>Con due passkey, una sul telefono e una sul computer, non resti senza.</li>
      </Stack>
    </Details>
  );
}
