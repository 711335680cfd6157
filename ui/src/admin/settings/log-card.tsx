import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { AccessAction, AccessLogEntry } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Fact, Facts } from '../../shared/ui/facts';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { type Option, SelectField } from '../../shared/ui/select';
import { Skeleton } from '../../shared/ui/skeleton';
import { Asked, Failure, useAction } from '../common/action';
import { browserOf } from '../common/browser';
import { List } from '../common/list/list';
import { Loaded } from '../common/loaded';
import { paths } from '../common/paths';
import { useRead, useRefresh } from '../common/use-read';

const FEW = 10;
const MANY = 200;

export function Log() {
  const [wanted, setWanted] = useState<Wanted>('');
  const [limit, setLimit] = useState(FEW);
  // The old entries stay on screen while others load.
  const log = useRead('/logs', {
    with: { query: { limit, ...queryOf(wanted) } },
    placeholderData: keepPreviousData,
  });
  const refresh = useRefresh();
  const clearing = useAction();
  const clear = async () => {
    await call('delete', '/logs', {});
    await refresh('/logs');
    return 'Log sistema puliti con successo!';
  };
  return (
    <Loaded
      query={log}
      failed="Non è stato possibile caricare il registro"
      loading="Caricamento del registro…"
      placeholder={<Skeleton lines={5} tall />}
    >
      {({ data, statistics: { all, failedLogins, lastLogin } }) => (
        <Stack gap={4} aria-busy={log.isPlaceholderData}>
          <Facts layout="narrow">
            <Fact name="Ultime 24 ore">{formatNumber(all.lastDay)}</Fact>
            <Fact name="Ultimi 7 giorni">{formatNumber(all.lastWeek)}</Fact>
            <Fact name="In tutto">{formatNumber(all.total)}</Fact>
            <Fact name="Accessi falliti, 7 giorni">{formatNumber(failedLogins.lastWeek)}</Fact>
            <Fact name="Ultimo accesso">{lastLogin ? formatDateTime(lastLogin) : '—'}</Fact>
          </Facts>
          <Row>
            <SelectField label="Azione" value={wanted} options={OPTIONS} onValue={setWanted} />
          </Row>
          <List of={data} label="Voci del registro, dalla più recente" empty="Nessuna voce nel registro.">
            {(entry, place) => <Entry key={`${entry.timestamp} ${place}`} entry={entry} />}
          </List>
          {limit === FEW && data.length >= FEW ? (
            <div>
              <Button inactive={log.isPlaceholderData} onClick={() => setLimit(MANY)}>
                Mostra le ultime {MANY} voci
              </Button>
            </div>
          ) : null}
          <Row>
            <Failure of={clearing} title="Errore durante la pulizia dei log" />
            <Asked of={clearing} label="Pulisci Tutti i Log" confirmLabel="Pulisci" work={clear}>
              <p>Sei sicuro di voler pulire tutti i log? Questa azione non può essere annullata.</p>
            </Asked>
          </Row>
        </Stack>
      )}
    </Loaded>
  );
}

function Entry({ entry }: { entry: AccessLogEntry }) {
  const { timestamp, action, ip, userAgent, reportId, who, about, count = 1 } = entry;
  const refused = action === 'LOGIN_FAILED' || action === 'ACCESS_DENIED';
  const addressless = refused ? 'Altri indirizzi' : 'Dalla riga di comando del server';
  return (
    <li>
      <Row justify="between" gap={1}>
        <Text strong tone={refused ? 'danger' : undefined}>
          {ACTIONS[action]}
          {count > 1 ? `, ${formatNumber(count)} volte` : null}
        </Text>
        <Text as="time" tone="muted" small digits dateTime={timestamp}>
          {formatDateTime(timestamp)}
        </Text>
      </Row>
      <Text tone="muted" small>
        {about ? `${about} · ` : null}
        {who ? `${who} · ` : null}
        {ip === '' ? addressless : ip}
        {userAgent === '' ? null : <span title={userAgent}> · {browserOf(userAgent)}</span>}
        {reportId ? (
          <>
            {' · '}
            <Link to={paths.report(reportId)}>Vedi la segnalazione</Link>
          </>
        ) : null}
      </Text>
    </li>
  );
}

const ACTIONS: Readonly<Record<AccessAction, string>> = {
  LOGIN_SUCCESS: 'Accesso',
  LOGIN_FAILED: 'Accesso fallito',
  ACCESS_DENIED: 'Indirizzo non autorizzato',
  LOGOUT: 'Uscita',
  REPORT_VIEWED: 'Segnalazione aperta',
  REPORT_UPDATED: 'Segnalazione modificata',
  MESSAGE_SENT: 'Messaggio a chi ha segnalato',
  REPORT_ERASED: 'Segnalazione cancellata',
  EXPORT_CSV: 'Elenco esportato in CSV',
  EXPORT_PDF: 'Scheda PDF esportata',
  EXPORT_ZIP: 'Segnalazione scaricata in ZIP',
  EXPORT_REDACTED: 'Copia oscurata esportata',
  EXPORT_ATTACHMENT: 'Allegato aperto o scaricato',
  BACKUP: 'Backup',
  SETTINGS_CHANGED: 'Impostazioni modificate',
  PROMPTS_CHANGED: 'Frasi modificate',
  DELIVERY_RETRIED: 'Nuovo tentativo di consegna',
  DELIVERY_IGNORED: 'Consegna ignorata',
  PEOPLE_CHANGED: 'Persone modificate',
  LOGS_CLEARED: 'Registro svuotato',
};

const KINDS = {
  accessi: 'Accessi e uscite',
  rifiuti: 'Accessi rifiutati',
  segnalazioni: 'Segnalazioni: tutto',
  copie: 'Esportazioni, cancellazioni, backup',
  impostazioni: 'Impostazioni, frasi, persone',
} as const;

type Kind = keyof typeof KINDS;
type Wanted = AccessAction | Kind | '';

function queryOf(wanted: Wanted): { action?: AccessAction; kind?: Kind } {
  if (wanted === '') {
    return {};
  }
  return wanted in KINDS ? { kind: wanted as Kind } : { action: wanted as AccessAction };
}

const OPTIONS: readonly Option<Wanted>[] = [
  { value: '', label: 'Tutte' },
  ...Object.entries(KINDS).map(([kind, label]) => ({ value: kind as Kind, label })),
  ...Object.entries(ACTIONS).map(([action, label]) => ({ value: action as AccessAction, label })),
];
