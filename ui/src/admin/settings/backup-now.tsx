import { useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { addressOf, call } from '../../shared/api/client';
import { NetworkError } from '../../shared/api/errors';
import { Button } from '../../shared/ui/button';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Spinner } from '../../shared/ui/spinner';
import { Failure, News } from '../common/action-news';
import { IN_PAGE_REPORTS, openFile } from '../common/receive-file';
import { download, saveFile } from '../common/save-file';
import { useAction } from '../common/use-action';
import { messages } from './messages';
import { receiveBackup } from './receive-backup';
import { megabytes } from './sizes';

/** 'Crea Backup': a download that says how far it is. */
export function BackupNow() {
  const { action, bytes, start, cancel } = useBackup();
  return (
    <Stack>
      <p>
        Scarica in un solo file impostazioni, frasi, registro e tutte le segnalazioni.{' '}
        <strong>Le segnalazioni nel file sono in chiaro</strong>: conservalo dove solo la redazione può
        leggerlo.
      </p>
      <Failure of={action} title={messages.backup.failed} />
      <Row>
        <Button
          inactive={action.busy}
          icon={action.busy ? <Spinner /> : <Download aria-hidden="true" />}
          onClick={start}
        >
          Crea Backup
        </Button>
        {action.busy ? (
          <>
            <Text as="span" tone="muted" digits>
              {megabytes(bytes)} ricevuti
            </Text>
            <Button variant="quiet" onClick={cancel}>
              Annulla
            </Button>
          </>
        ) : null}
      </Row>
      <News of={action} />
    </Stack>
  );
}

/** Downloads a backup through the page, which then knows that the file is whole. */
function useBackup() {
  const client = useQueryClient();
  const [bytes, setBytes] = useState(0);
  const action = useAction();
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
  const run = async () => {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setBytes(0);
    try {
      return await make(signal);
    } catch (error) {
      if (signal.aborted) {
        return null;
      }
      // What breaks the stream is the line, whatever the browser calls it.
      throw error instanceof TypeError ? new NetworkError(false, error) : error;
    } finally {
      void client.invalidateQueries({ queryKey: ['/logs'] });
    }
  };
  return {
    action,
    /** Bytes received so far. */
    bytes,
    start: () => void action.run(run),
    cancel: () => running.current?.abort(),
  };
}
