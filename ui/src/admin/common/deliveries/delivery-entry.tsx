import { useState } from 'react';
import { Link } from 'react-router-dom';
import type { Delivery } from '../../../shared/api/schema';
import { now } from '../../../shared/lib/clock';
import { formatDateTime } from '../../../shared/lib/dates';
import { counted } from '../../../shared/lib/text';
import { Badge, type BadgeTone } from '../../../shared/ui/badge';
import { Button } from '../../../shared/ui/button';
import { Checkbox } from '../../../shared/ui/checkbox';
import { Row, Stack, Text } from '../../../shared/ui/layout';
import { Spinner } from '../../../shared/ui/spinner';
import { Asked } from '../action';
import { paths } from '../paths';
import { useRights } from '../session/session-context';
import { useRead } from '../use-read';
import { type DeliveryActions, ignore } from './api';

const KINDS: Readonly<Record<Delivery['tipo'], string>> = {
  email: 'Email',
  webhook: 'Webhook',
  messaggio: 'Avviso di un messaggio',
  risposta: 'Avviso di una risposta',
  conferma: 'Conferma di ricezione',
};

const STATES: Readonly<Record<Delivery['stato'], { label: string; tone: BadgeTone; end: string }>> = {
  'in attesa': { label: 'In attesa', tone: 'yellow', end: '' },
  consegnata: { label: 'Consegnata', tone: 'green', end: 'arrivata' },
  fallita: { label: 'Fallita', tone: 'red', end: 'abbandonata il' },
  ignorata: { label: 'Ignorata', tone: 'grey', end: 'ignorata' },
};

/** One that the settings gave no address has none; where one goes to a reporter, the report says. */
const whom = ({ tipo, destinatario }: Pick<Delivery, 'tipo' | 'destinatario'>) =>
  tipo === 'risposta' || tipo === 'conferma' ? 'chi ha segnalato' : destinatario || 'un indirizzo che manca';

/** The state that is shown for a delivery that waits after a failed attempt. */
const RETRYING = { label: 'In errore', tone: 'yellow', end: '' } as const;

const shownOf = ({ stato, ultimoErrore }: Delivery) =>
  stato === 'in attesa' && ultimoErrore !== null ? RETRYING : STATES[stato];

export const isOpen = (delivery: Delivery) => delivery.stato === 'fallita' || shownOf(delivery) === RETRYING;

const MASCULINE: readonly Delivery['tipo'][] = ['webhook', 'messaggio', 'risposta'];

/** What went to whom, and what became of it: `avviso di una risposta consegnato a chi ha segnalato`. */
export function inShort(delivery: Delivery): string {
  const { tipo } = delivery;
  const state = shownOf(delivery).label;
  const end = MASCULINE.includes(tipo) ? state.replace(/([ai]t)a$/, '$1o') : state;
  return `${KINDS[tipo].toLowerCase()} ${end.toLowerCase()} a ${whom(delivery)}`;
}

/** Where an editor mends what keeps it from arriving: the webhook, the server and the sender, or whom mail goes to. */
function ToSettings({
  delivery: { tipo, destinatario, ultimoErrore },
}: Pick<DeliveryEntryProps, 'delivery'>) {
  const { data } = useRead('/settings/email', { background: true, enabled: tipo !== 'webhook' });
  const holds = ([key, value]: [string, unknown]) =>
    /^(dept_.*_email|emailFallback)$/.test(key) && String(value).toLowerCase().includes(destinatario);
  const ofDesk = destinatario !== '' && Object.entries(data ?? {}).some(holds);
  const whom = destinatario === '' || /^L'invio automatico|destinatario/.test(ultimoErrore ?? '');
  const mail = whom ? (ofDesk ? 'email/departments' : 'email/recipients') : 'email/mail-server';
  return <Link to={paths.setting(tipo === 'webhook' ? 'system/webhook' : mail)}>Vai alle impostazioni</Link>;
}

interface DeliveryEntryProps {
  delivery: Delivery;
  actions: DeliveryActions;
}

export function DeliveryEntry({ delivery, actions }: DeliveryEntryProps) {
  const { tipo, stato, tentativi, ultimoErrore, creata } = delivery;
  const troubled = stato !== 'consegnata' && ultimoErrore !== null;
  // Mended and retried by administrators.
  const open = useRights().administers && isOpen(delivery);
  const shown = shownOf(delivery);
  return (
    <Stack as="li" gap={1} align="start">
      <Row gap={2}>
        <Badge tone={shown.tone}>{shown.label}</Badge>
        <p>
          <strong>{KINDS[tipo]}</strong> a {whom(delivery)}
        </p>
      </Row>
      <Text tone="muted" small digits>
        <time dateTime={creata}>{formatDateTime(creata)}</time>
        {tentativi > 0 ? ` · ${counted(tentativi, 'tentativo', 'tentativi')}` : ''}
        <Next delivery={delivery} />
      </Text>
      {troubled ? (
        <Text tone={stato === 'ignorata' ? 'muted' : 'danger'} small>
          {ultimoErrore} {open ? <ToSettings delivery={delivery} /> : null}
        </Text>
      ) : null}
      {open ? <Ways delivery={delivery} actions={actions} /> : null}
    </Stack>
  );
}

/** Putting away wipes the message, so it is asked about; often all of an address are meant. */
function Ways({ delivery, actions }: DeliveryEntryProps) {
  const { id, tipo, stato } = delivery;
  const [all, setAll] = useState(false);
  const busy = actions.busy === id;
  const to = `${KINDS[tipo]} a ${whom(delivery)}`;
  return (
    <Row gap={2}>
      <Button
        about={to}
        inactive={actions.busy !== null}
        icon={busy ? <Spinner /> : undefined}
        onClick={() => actions.retry(id)}
      >
        {busy ? 'Attendi…' : 'Riprova'}
      </Button>
      <Asked
        of={actions.ignoring(id)}
        label="Ignora"
        about={to}
        title="Ignorare questa consegna?"
        confirmLabel="Ignora"
        variant="quiet"
        work={() => ignore(delivery, all)}
      >
        <p>
          Non verrà più ritentata e non fa più scattare l’avviso. Il messaggio viene cancellato: non si può
          tornare indietro. La segnalazione resta nel pannello, con la traccia di questa consegna.
        </p>
        {stato === 'fallita' ? (
          <Checkbox checked={all} onChange={setAll}>
            Ignora tutte le consegne fallite: {to}
          </Checkbox>
        ) : null}
      </Asked>
    </Row>
  );
}

function Next({ delivery: { stato, prossimoTentativo, conclusa } }: { delivery: Delivery }) {
  const waits = stato === 'in attesa' && prossimoTentativo !== null;
  const at = waits ? prossimoTentativo : conclusa;
  if (waits && Date.parse(prossimoTentativo) <= now()) {
    return ' · in partenza';
  }
  return at === null ? null : (
    <>
      {` · ${waits ? 'prossimo tentativo' : STATES[stato].end} `}
      <time dateTime={at}>{formatDateTime(at)}</time>
    </>
  );
}
