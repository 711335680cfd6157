import { useQueryClient } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { Backups } from '../../shared/api/schema';
import { formatDate, formatDateTime } from '../../shared/lib/dates';
import { formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Row, Stack } from '../../shared/ui/layout';
import { Failure, Send, useAction } from '../common/action';
import { useDeliverySummary } from '../common/deliveries/api';
import { paths } from '../common/paths';
import { useRights } from '../common/session/session-context';
import { adopt, keyOf, useRead, useRefresh } from '../common/use-read';
import styles from './shell.module.css';

const LOOK_MS = 60_000;
const MB = 1_000_000;

/** The banners of every page. The live region exists before its first message. */
function Banner({ shown, action, children }: { shown: boolean; action?: ReactNode; children: ReactNode }) {
  return (
    <div role="status">
      {shown ? (
        <Row nowrap align="start" className={styles.banner}>
          <TriangleAlert />
          <Stack gap={2} align="start">
            <p>{children}</p>
            {action}
          </Stack>
        </Row>
      ) : null}
    </div>
  );
}

/** A notification that silently never came is the worst kind (PRODUCT.md §9). */
export function DeliveryBanner() {
  const summary = useDeliverySummary();
  const failed = summary.data?.undelivered ?? 0;
  return (
    <Banner shown={summary.data?.failing === true}>
      {failed === 0
        ? 'Email o webhook non arrivano a destinazione: vengono ritentati.'
        : failed === 1
          ? 'Una email o un webhook non è arrivato a destinazione.'
          : `${failed} email o webhook non sono arrivati a destinazione.`}{' '}
      <Link to={paths.deliveries}>Vai alle consegne</Link>
    </Banner>
  );
}

export const useAlerts = () => useRead('/system/alerts', { background: true, refetchInterval: LOOK_MS });

export function DiskBanner() {
  const { data } = useAlerts();
  const { administers } = useRights();
  const { disk = 'ok', freeBytes } = data ?? {};
  return (
    <Banner shown={disk !== 'ok'}>
      {disk === 'full'
        ? 'Il disco del server è pieno: le nuove segnalazioni vengono rifiutate. Serve spazio.'
        : `Il disco del server è quasi pieno: restano ${formatNumber(Math.round((freeBytes ?? 0) / MB))} MB. Serve spazio.`}{' '}
      {administers ? <Link to={paths.setting('system/health')}>Vai allo stato del sistema</Link> : null}
    </Banner>
  );
}

export function AttachmentsBanner() {
  const { attachmentsNearlyFull = false } = useAlerts().data ?? {};
  const { administers } = useRights();
  return (
    <Banner shown={attachmentsNearlyFull}>
      Lo spazio per gli allegati è quasi esaurito: presto non se ne potranno più ricevere. Elimina le
      segnalazioni che non servono più, o alza il limite.{' '}
      {administers ? <Link to={paths.setting('system/attachments')}>Vai agli allegati</Link> : null}
    </Banner>
  );
}

export function DroppedFilesBanner() {
  const { attachmentsDropped = false } = useAlerts().data ?? {};
  const { administers } = useRights();
  return (
    <Banner shown={attachmentsDropped && administers}>
      Nelle ultime 24 ore alcuni allegati sono stati scartati prima dell’invio, perché non c’era posto: chi li
      aveva caricati viene avvisato. Se si ripete, alza il limite.{' '}
      <Link to={paths.setting('system/attachments')}>Vai agli allegati</Link>
    </Banner>
  );
}

export function NewBrowserBanner() {
  const at = useAlerts().data?.newBrowser ?? null;
  const { administers } = useRights();
  const refresh = useRefresh();
  const seeing = useAction();
  const see = async () => {
    await call('delete', '/system/alerts/new-browser', {});
    await refresh('/system/alerts');
  };
  return (
    <>
      <Banner shown={at !== null}>
        Accesso da un nuovo browser il {at && formatDateTime(at)}. Se nessuno di voi lo riconosce, cambia
        subito la <Link to={paths.account}>password</Link>.{' '}
        {administers ? <Link to={paths.setting('security/log')}>Vai al registro</Link> : null}{' '}
        <Button inactive={seeing.busy} onClick={() => void seeing.run(see)}>
          Ho visto
        </Button>
      </Banner>
      <Failure of={seeing} title="Non è stato possibile chiudere l’avviso." />
    </>
  );
}

export function MailSecretBanner() {
  const secret = useAlerts().data?.mailSecret ?? null;
  return (
    <Banner shown={secret !== null}>
      {secret?.past
        ? 'Il segreto con cui partono le email è scaduto'
        : 'Il segreto con cui partono le email scade'}{' '}
      il {secret && formatDate(`${secret.on}T12:00:00Z`)}: chi amministra Microsoft 365 ne crei un altro
      {secret?.past ? '; appena lo salvi, le email ferme partono da sé' : ''}.{' '}
      <Link to={paths.setting('email/mail-server', 'smtpPassword')}>Vai al server di posta</Link>
    </Banner>
  );
}

export function SiegeBanner() {
  const { data } = useRead('/sieges', { background: true, refetchInterval: LOOK_MS });
  const last = data?.data[0];
  return (
    <Banner shown={data?.siege === true}>
      Modalità assedio: arrivano moltissime segnalazioni. Chi scrive supera una verifica automatica, le email
      sono raggruppate
      {last
        ? ` (risparmiate: ${formatNumber(last.mailsSpared)}). Copie messe da parte: ${formatNumber(last.setAside)}`
        : null}
      . Finisce da sola. <Link to={paths.reports}>Vai alle segnalazioni</Link>
    </Banner>
  );
}

const REPLICA_FAULTS = {
  sostituita:
    'Un’altra macchina ha preso il posto di questa: chi gestisce il server lo fermi, o le segnalazioni finiscono in due archivi.',
  'non-verificata':
    'Non si è potuto controllare se un’altra macchina ha preso il posto di questa: il deposito della copia di riserva non risponde.',
  'in-ritardo': 'La copia di riserva non è mai arrivata, o non si aggiorna da più di dieci minuti.',
};

export function ReplicaBanner() {
  const fault = useAlerts().data?.replica ?? null;
  return (
    <Banner shown={fault !== null}>
      {fault && REPLICA_FAULTS[fault]}{' '}
      <Link to={paths.setting('system/health')}>Vai allo stato del sistema</Link>
    </Banner>
  );
}

function backupFault({ overdue, rehearsal }: Backups): string {
  if (overdue) {
    return 'L’ultimo backup riuscito è troppo vecchio.';
  }
  return rehearsal?.ok === false
    ? 'La prova di ripristino dell’ultimo backup è fallita.'
    : 'Nella cartella dei dati mancano file di allegati.';
}

export function BackupBanner() {
  const { data } = useRead('/system/backups', { background: true, refetchInterval: LOOK_MS });
  return (
    <Banner shown={data?.alarming ?? false}>
      {data ? backupFault(data) : null} <Link to={paths.setting('system/backup')}>Vai ai backup</Link>
    </Banner>
  );
}

/** Stands on every page while password, keys or settings are not known to be the program's own: nothing is sent then. */
export function AuthenticityBanner() {
  const client = useQueryClient();
  const action = useAction();
  const path = '/system/authenticity';
  const { data } = useRead(path, { background: true, refetchInterval: LOOK_MS });
  const confirm = async () => {
    await adopt(client, keyOf(path), await call('post', path, {}));
    return 'Indirizzi confermati: email e webhook ripartono';
  };
  return (
    <>
      <Failure of={action} title="Non è stato possibile confermare." />
      <Banner shown={data?.state === 'alterato'}>
        Password, chiavi o impostazioni sono state modificate fuori dal programma: nessuno può più accedere,
        email e webhook sono fermi. Chi gestisce il server esegue «segnalazioni reset-password».
      </Banner>
      <Banner
        shown={data?.state === 'da-confermare'}
        action={
          <Send busy={action.busy} onClick={() => void action.run(confirm)}>
            Conferma gli indirizzi
          </Send>
        }
      >
        Le impostazioni vengono da un backup o da una modifica fuori dal programma: email e webhook sono
        fermi. Controlla <Link to={paths.setting('email/mail-server')}>server di posta</Link>,{' '}
        <Link to={paths.setting('email/recipients')}>destinatari</Link>,{' '}
        <Link to={paths.setting('email/departments')}>reparti</Link> e{' '}
        <Link to={paths.setting('system/webhook')}>webhook</Link>, poi confermali.
      </Banner>
    </>
  );
}
