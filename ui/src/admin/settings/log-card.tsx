import { useState } from 'react';
import { Link } from 'react-router-dom';
import type { AccessAction, AccessLog, AccessLogEntry, LogStatistics } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Confirm } from '../../shared/ui/confirm';
import { Field } from '../../shared/ui/field';
import { Message } from '../../shared/ui/message';
import { Select } from '../../shared/ui/select';
import { Skeleton } from '../../shared/ui/skeleton';
import { StatusMessage } from '../../shared/ui/status-message';
import { ErrorCard, FaultText } from '../common/error-card';
import { Loading } from '../common/loading';
import { paths } from '../common/paths';
import styles from './log-card.module.css';
import { actionLabel, browserOf } from './log-entries';
import { messages } from './messages';
import { useClearLogs, useLogs } from './queries';

/** Entries shown at first, and the most that the server gives at once. */
const FEW = 10;
const MANY = 200;

/** The access log: its figures, its newest entries, and the way to empty it. */
export function Log() {
  const [action, setAction] = useState<AccessAction | undefined>();
  const [limit, setLimit] = useState(FEW);
  const log = useLogs(action, limit);
  if (log.data) {
    return (
      <div className={styles.log} aria-busy={log.isPlaceholderData}>
        <Figures statistics={log.data.statistics} />
        <Entries log={log.data} action={action} onAction={setAction} />
        {limit === FEW && log.data.data.length === FEW ? (
          <Button inactive={log.isPlaceholderData} onClick={() => setLimit(MANY)}>
            Mostra le ultime {MANY} voci
          </Button>
        ) : null}
        <Clear />
      </div>
    );
  }
  return log.isError ? (
    <ErrorCard
      title="Non è stato possibile caricare il registro"
      error={log.error}
      onRetry={() => void log.refetch()}
    />
  ) : (
    <Loading label="Caricamento del registro…">
      <Skeleton lines={5} tall />
    </Loading>
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
  const clear = useClearLogs();
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [news, setNews] = useState<{ text: string } | null>(null);

  const run = async () => {
    setAsking(false);
    setBusy(true);
    setFailure(null);
    try {
      await clear();
      setNews({ text: messages.logs.cleared });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <div className={styles.clear}>
      {failure ? (
        <Message kind="error" title={messages.logs.failed} onDismiss={() => setFailure(null)}>
          <FaultText error={failure} />
        </Message>
      ) : null}
      <Button variant="danger" inactive={busy} onClick={() => setAsking(true)}>
        {messages.logs.clear}
      </Button>
      <StatusMessage message={news} onDone={() => setNews(null)} />
      <Confirm
        open={asking}
        title={messages.logs.clear}
        confirmLabel="Pulisci"
        onCancel={() => setAsking(false)}
        onConfirm={() => void run()}
      >
        <p>{messages.logs.question}</p>
      </Confirm>
    </div>
  );
}
