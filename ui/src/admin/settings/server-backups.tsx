import type { BackupFile, BackupRehearsal, Backups } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Badge, type BadgeTone } from '../../shared/ui/badge';
import { Fact, Facts } from '../../shared/ui/facts';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { useServerBackups } from '../common/installation/queries';
import { Loaded } from '../common/loaded';
import styles from './server-backups.module.css';

/** The backups that the server makes by itself: the newest, the rehearsal, and those that are kept. */
export function ServerBackups() {
  return (
    <Loaded
      query={useServerBackups()}
      failed="Non è stato possibile leggere lo stato dei backup"
      loading="Caricamento dei backup…"
      placeholder={<Skeleton lines={3} tall />}
    >
      {(backups) => <Shown backups={backups} />}
    </Loaded>
  );
}

function Shown({ backups }: { backups: Backups }) {
  const { last, rehearsal, files } = backups;
  return (
    <Stack>
      <h3>Backup fatti dal server</h3>
      <Troubles backups={backups} />
      <Facts>
        <Fact name="Ultimo riuscito">
          {last ? (
            <>
              <time dateTime={last.at}>{formatDateTime(last.at)}</time>, {megabytes(last.bytes)}
              {last.verified ? ', riletto' : ', non ancora riletto'}
            </>
          ) : (
            'Nessuno'
          )}
        </Fact>
        <Fact name="Prova di ripristino">
          {rehearsal ? (
            <>
              {outcomeOf(rehearsal)} il <time dateTime={rehearsal.at}>{formatDateTime(rehearsal.at)}</time>
              {rehearsal.opened === false
                ? ': struttura verificata, contenuti non aperti (modalità sigillata)'
                : ''}
            </>
          ) : (
            'Non ancora fatta: il server ne fa una alla settimana'
          )}
        </Fact>
      </Facts>
      {files.length > 0 ? <Files files={files} /> : null}
    </Stack>
  );
}

/** A trial that opened no report must not sound like one that did. */
function outcomeOf({ ok, opened }: BackupRehearsal): string {
  if (!ok) {
    return 'Fallita';
  }
  return opened === false ? 'Fatta in parte' : 'Riuscita';
}

function Troubles({ backups: { overdue, rehearsal, lastError } }: { backups: Backups }) {
  if (!overdue && rehearsal?.ok !== false && !lastError) {
    return null;
  }
  return (
    <Message kind="error" title="I backup non sono in ordine">
      {overdue ? <p>L’ultimo backup riuscito è più vecchio di quanto chiede «Backup automatico».</p> : null}
      {lastError ? (
        <p>
          L’ultimo tentativo, {formatDateTime(lastError.at)}, è fallito: {lastError.message}. Il server
          riprova ogni ora.
        </p>
      ) : null}
      {rehearsal?.ok === false ? <p>La prova di ripristino è fallita: {rehearsal.message}.</p> : null}
    </Message>
  );
}

function Files({ files }: { files: readonly BackupFile[] }) {
  return (
    <details className={styles.files}>
      <summary>
        {files.length === 1 ? 'Un backup conservato' : `${files.length} backup conservati`} sul server
      </summary>
      <Stack as="ul" lined>
        {files.map(({ name, at, bytes, good }) => (
          <Row as="li" key={name} gap={2}>
            <p>
              <time dateTime={at}>{formatDateTime(at)}</time>, {megabytes(bytes)}
            </p>
            <Badge tone={toneOf(good)}>{wordOf(good)}</Badge>
            <Text small tone="muted" className={styles.name}>
              {name}
            </Text>
          </Row>
        ))}
      </Stack>
    </details>
  );
}

function toneOf(good: boolean | null): BadgeTone {
  return good === null ? 'grey' : good ? 'green' : 'red';
}

function wordOf(good: boolean | null): string {
  return good === null ? 'Non ancora riletto' : good ? 'Integro' : 'Danneggiato';
}

/** In millions of bytes; what is smaller than a tenth of one is said so. */
export function megabytes(bytes: number): string {
  const value = bytes / 1_000_000;
  if (bytes > 0 && value < 0.1) {
    return 'meno di 0,1 MB';
  }
  return `${value.toLocaleString('it-IT', { maximumFractionDigits: 1 })} MB`;
}
