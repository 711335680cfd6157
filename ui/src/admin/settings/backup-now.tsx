import { useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { addressOf, call } from '../../shared/api/client';
import { Button } from '../../shared/ui/button';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Spinner } from '../../shared/ui/spinner';
import { Failure, News } from '../common/action';
import {
  download,
  IN_PAGE_REPORTS,
  incomplete,
  openFile,
  receive,
  saveFile,
  useDownload,
} from '../common/downloads';
import { megabytes } from './server-backups';

/** 'Crea Backup': a download that says how far it is. */
export function BackupNow() {
  const { action, bytes, start } = useBackup();
  return (
    <Stack>
      <p>
        Scarica in un solo file impostazioni, frasi, registro e tutte le segnalazioni.{' '}
        <strong>Le segnalazioni nel file sono in chiaro</strong>: conservalo dove solo la redazione può
        leggerlo.
      </p>
      <Failure of={action} title="Errore durante la creazione del backup" />
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
            <Button variant="quiet" onClick={action.cancel}>
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
  /** Bytes received so far. */
  const [bytes, setBytes] = useState(0);
  const { start, ...action } = useDownload();

  const make = async (signal: AbortSignal) => {
    setBytes(0);
    const address = addressOf('/backup', {});
    try {
      const { counters } = await call('get', '/reports', { query: { limit: 1 }, signal });
      if (counters.total > IN_PAGE_REPORTS) {
        download(address, '');
        return 'Backup avviato: l’archivio è grande, segui il download nel browser.';
      }
      const { file, name } = await receiveBackup(await openFile(address, signal), setBytes);
      saveFile(file, name);
      return 'Backup creato e scaricato con successo!';
    } finally {
      void client.invalidateQueries({ queryKey: ['/logs'] });
    }
  };
  return { action, bytes, start: () => start(make) };
}

/** How a whole file ends: the list of reports, then the file itself. */
const END = ']}';

/** Reads a backup to its end; `onBytes` is told how much has come so far. */
export async function receiveBackup(
  answer: Response,
  onBytes: (bytes: number) => void,
): Promise<{ file: Blob; name: string }> {
  let bytes = 0;
  const received = await receive(answer, (piece) => {
    bytes += piece.length;
    onBytes(bytes);
  });
  if ((await received.file.slice(-END.length).text()) !== END) {
    throw incomplete();
  }
  return received;
}
