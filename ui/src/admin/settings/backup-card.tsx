import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { addressOf, call } from '../../shared/api/client';
import { NetworkError } from '../../shared/api/errors';
import type { BackupFrequency } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Message } from '../../shared/ui/message';
import type { Option } from '../../shared/ui/select';
import { Spinner } from '../../shared/ui/spinner';
import { StatusMessage } from '../../shared/ui/status-message';
import type { EditsForm } from '../common/edits/use-edits';
import { FaultText } from '../common/error-card';
import { IN_PAGE_REPORTS, openFile } from '../common/receive-file';
import { download, saveFile } from '../common/save-file';
import styles from './backup-card.module.css';
import { SelectSetting } from './fields';
import { messages } from './messages';
import { useLogsChanged } from './queries';
import { IncompleteBackup, receiveBackup } from './receive-backup';
import { useSealedMode } from './seal-queries';
import type { SystemForm } from './sections';
import { ServerBackups } from './server-backups';
import { stackClass } from './settings-page';
import { megabytes } from './sizes';

const FREQUENCIES: readonly Option<BackupFrequency>[] = [
  { value: 'disabled', label: 'Mai' },
  { value: 'daily', label: 'Ogni giorno' },
  { value: 'weekly', label: 'Ogni settimana' },
  { value: 'monthly', label: 'Ogni mese' },
];

/** 'Crea Backup', how often the server makes one by itself, and how those stand. */
export function BackupCard({ form }: { form: EditsForm<SystemForm> }) {
  const backup = useBackup();
  return (
    <Card title="Backup e manutenzione">
      <div className={stackClass}>
        <div className={styles.now}>
          <p>
            Scarica in un solo file impostazioni, frasi, registro e tutte le segnalazioni.{' '}
            <strong>Le segnalazioni nel file sono in chiaro</strong>: conservalo dove solo la redazione può
            leggerlo.
          </p>
          <Closed />
          {backup.failure ? (
            <Message kind="error" title={messages.backup.failed} onDismiss={backup.dismissFailure}>
              {backup.failure instanceof IncompleteBackup ? (
                <p>Il file è arrivato incompleto e non è stato salvato. Riprova.</p>
              ) : (
                <FaultText error={backup.failure} />
              )}
            </Message>
          ) : null}
          <div className={styles.row}>
            <Button
              inactive={backup.bytes !== null}
              icon={backup.bytes === null ? <Download aria-hidden="true" /> : <Spinner />}
              onClick={backup.start}
            >
              Crea Backup
            </Button>
            {backup.bytes === null ? null : (
              <>
                <span className={styles.progress}>{megabytes(backup.bytes)} ricevuti</span>
                <Button variant="quiet" onClick={backup.cancel}>
                  Annulla
                </Button>
              </>
            )}
          </div>
          <StatusMessage message={backup.news} onDone={backup.dismissNews} />
        </div>
        <SelectSetting form={form} name="backupFrequency" label="Backup automatico" options={FREQUENCIES} />
        <ServerBackups />
      </div>
    </Card>
  );
}

/** What the file cannot hold: reports that nobody can read without the recovery code of another time. */
function Closed() {
  const count = useSealedMode().data?.abandonedReports ?? 0;
  if (count === 0) {
    return null;
  }
  return (
    <Message
      kind="warning"
      title={
        count === 1
          ? 'Una segnalazione rimasta chiusa non sarà nel file'
          : `${formatNumber(count)} segnalazioni rimaste chiuse non saranno nel file`
      }
    >
      <p>
        Sono sigillate con le chiavi di prima: il file ne elenca solo identificativo e data. Per averle,
        riaprile con il codice di recupero di allora (Sicurezza, «Modalità sigillata»); sul server le conserva
        il backup automatico.
      </p>
    </Message>
  );
}

/** Downloads a backup through the page, which then knows that the file is whole. */
function useBackup() {
  const logsChanged = useLogsChanged();
  const [bytes, setBytes] = useState<number | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [news, setNews] = useState<{ text: string } | null>(null);
  const running = useRef<AbortController | null>(null);

  // A download belongs to the page that shows how far it is.
  useEffect(() => () => running.current?.abort(), []);

  const make = async (signal: AbortSignal) => {
    const address = addressOf('/backup', {});
    const { counters } = await call('get', '/reports', { query: { limit: 1 }, signal });
    if (counters.total > IN_PAGE_REPORTS) {
      download(address, '');
      return 'Backup avviato: l’archivio è grande, segui il download nel browser.';
    }
    const { file, name } = await receiveBackup(await openFile(address, signal), setBytes);
    saveFile(file, name);
    return messages.backup.done;
  };
  const run = async (controller: AbortController) => {
    try {
      setNews({ text: await make(controller.signal) });
    } catch (error) {
      if (!controller.signal.aborted) {
        // What breaks the stream is the line, whatever the browser calls it.
        setFailure(error instanceof TypeError ? new NetworkError(false, error) : error);
      }
    } finally {
      running.current = null;
      setBytes(null);
      logsChanged();
    }
  };
  return {
    /** Bytes received so far; null when none is being made. */
    bytes,
    failure,
    news,
    start: () => {
      if (!running.current) {
        running.current = new AbortController();
        setFailure(null);
        setNews(null);
        setBytes(0);
        void run(running.current);
      }
    },
    cancel: () => running.current?.abort(),
    dismissFailure: () => setFailure(null),
    dismissNews: () => setNews(null),
  };
}
