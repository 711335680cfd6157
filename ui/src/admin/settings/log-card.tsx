import { keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { AccessAction, AccessLog, AccessLogEntry, LogStatistics } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Field } from '../../shared/ui/field';
import { Select } from '../../shared/ui/select';
import { Skeleton } from '../../shared/ui/skeleton';
import { Asked } from '../common/action-button';
import { Failure, News } from '../common/action-news';
import { Loaded } from '../common/loaded';
import { paths } from '../common/paths';
import { useAction } from '../common/use-action';
import { useRead } from '../common/use-read';
import styles from './log-card.module.css';
import { actionLabel, browserOf } from './log-entries';
import { messages } from './messages';

/** Entries shown at first, and the most that the server gives at once. */
const FEW = 10;
const MANY = 200;

/** The access log: its figures, its newest entries, and the way to empty it. */
export function Log() {
  const [action, setAction] = useState<AccessAction | undefined>();
  const [limit, setLimit] = useState(FEW);
  // The old entries stay on screen while others load.
  const log = useRead('/logs', {
    with: { query: { limit, ...(action ? { action } : {}) } },
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded
      query={log}
      failed="Non è stato possibile caricare il registro"
      loading="Caricamento del registro…"
      placeholder={<Skeleton lines={5} tall />}
    >
      {({ data, statistics }) => (
        <div className={styles.log} aria-busy={log.isPlaceholderData}>
          <Figures statistics={statistics} />
          <Entries log={{ data, statistics }} action={action} onAction={setAction} />
          {limit === FEW && data.length === FEW ? (
            <Button inactive={log.isPlaceholderData} onClick={() => setLimit(MANY)}>
              Mostra le ultime {MANY} voci
            </Button>
          ) : null}
          <Clear />
        </div>
      )}
    </Loaded>
  );
}

function Figures({ statistics: { all, failedLogins, lastLogin } }: { statistics: LogStatistics }) {
  return (
    <dl className={styles.figures}>
      <Figure name="Ultime 24 ore" value={formatNumber(all.lastDay)} />
      <Figure name="Ultimi 7 giorni" value={formatNumber(all.lastWeek)} />
      <Figure name="In tutto" value={formatNumber(all.total)} />
      <Figure name="Accessi falliti, 7 giorni" value={formatNumber(failedLogins.lastWeek)} />
      <Figure name="Ultimo accesso" value={lastLogin ? formatDateTime(lastLogin) : '—'} />
    </dl>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

interface EntriesProps {
  log: AccessLog;
  action: AccessAction | undefined;
  onAction: (action: AccessAction | undefined) => void;
}

function Entries({ log, action, onAction }: EntriesProps) {
  const known = log.statistics.actions.map((counts) => counts.action);
  const offered = action && !known.includes(action) ? [...known, action] : known;
  const options = [
    { value: '', label: 'Tutte' },
    ...offered.map((value) => ({ value, label: actionLabel(value) })),
  ];
  return (
    <>
      <div className={styles.filter}>
        <Field label="Azione">
          {(control) => (
            <Select
              {...control}
              value={action ?? ''}
              options={options}
              onValue={(value) => onAction(offered.find((one) => one === value))}
            />
          )}
        </Field>
      </div>
      {log.data.length === 0 ? (
        <p className={styles.none}>Nessuna voce nel registro.</p>
      ) : (
        <ul className={styles.entries} aria-label="Voci del registro, dalla più recente">
          {log.data.map((entry, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: entries have no name of their own
            <Entry key={`${entry.timestamp} ${index}`} entry={entry} />
          ))}
        </ul>
      )}
    </>
  );
}

function Entry({ entry: { timestamp, action, ip, userAgent, reportId } }: { entry: AccessLogEntry }) {
  return (
    <li className={styles.entry} data-failed={action === 'LOGIN_FAILED' || undefined}>
      <p className={styles.action}>
        {actionLabel(action)}
        {reportId ? (
          <>
            {' '}
            <Link to={paths.report(reportId)}>Vedi la segnalazione</Link>
          </>
        ) : null}
      </p>
      <time className={styles.time} dateTime={timestamp}>
        {formatDateTime(timestamp)}
      </time>
      <p className={styles.from}>
        {ip === '' ? 'Dalla riga di comando del server' : ip}
        {userAgent === '' ? null : <span title={userAgent}> · {browserOf(userAgent)}</span>}
      </p>
    </li>
  );
}

/** 'Pulisci Tutti i Log', once the editor has said so twice. */
function Clear() {
  const client = useQueryClient();
  const action = useAction();
  const clear = async () => {
    await call('delete', '/logs', {});
    await client.invalidateQueries({ queryKey: ['/logs'] });
    return messages.logs.cleared;
  };
  return (
    <div className={styles.clear}>
      <Failure of={action} title={messages.logs.failed} />
      <Asked of={action} label={messages.logs.clear} confirmLabel="Pulisci" work={clear}>
        <p>{messages.logs.question}</p>
      </Asked>
      <News of={action} />
    </div>
  );
}
