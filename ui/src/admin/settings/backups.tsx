import { Download } from 'lucide-react';
import { useState } from 'react';
import { addressOf, call } from '../../shared/api/client';
import type { BackupRehearsal, Backups } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { download, saveFile } from '../../shared/lib/save-file';
import { Badge } from '../../shared/ui/badge';
import { Button } from '../../shared/ui/button';
import { Fact, Facts } from '../../shared/ui/facts';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { Spinner } from '../../shared/ui/spinner';
import { Failure } from '../common/action';
import { IN_PAGE_REPORTS, incomplete, openFile, receive, useDownload } from '../common/downloads';
import { Details } from '../common/fold';
import { Time } from '../common/list/list';
import { Loaded } from '../common/loaded';
import { useRead, useRefresh } from '../common/use-read';

/** To the next tenth: a small file is no empty one. */
const megabytes = (bytes: number) => `${(Math.ceil(bytes / 100_000) / 10).toLocaleString('it-IT')} MB`;

/** How a whole file ends: the list of reports, then the file itself. */
const END = ']}';

export function BackupNow() {
  const refresh = useRefresh();
  const [bytes, setBytes] = useState(0);
  const action = useDownload();
  const make = async (signal: AbortSignal) => {
    setBytes(0);
    const address = addressOf('/backup', {});
    try {
      const { counters } = await call('get', '/reports', { query: { limit: 1 }, signal });
      if (counters.total > IN_PAGE_REPORTS) {
        download(address, '');
        return 'Backup avviato: l’archivio è grande, segui il download nel browser.';
      }
      const { file, name } = await receive(await openFile(address, signal), (piece) =>
        setBytes((before) => before + piece.length),
      );
      if ((await file.slice(-END.length).text()) !== END) {
        throw incomplete();
      }
      saveFile(file, name);
      return 'Backup creato e scaricato con successo!';
    } finally {
      void refresh('/logs');
    }
  };
  return (
    <Stack>
      <p>
        Scarica in un solo file impostazioni, frasi, registro e tutte le segnalazioni.{' '}
        <strong>Le segnalazioni nel file sono in chiaro</strong>: conservalo dove solo la redazione può
        leggerlo. Allegati e messaggi non ci sono: li salvano i backup del server.
      </p>
      <Failure of={action} title="Errore durante la creazione del backup" />
      <Row>
        <Button
          inactive={action.busy}
          icon={action.busy ? <Spinner /> : <Download />}
          onClick={() => action.start(make)}
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
    </Stack>
  );
}

export function ServerBackups() {
  return (
    <Loaded
      query={useRead('/system/backups', { background: true })}
      failed="Non è stato possibile leggere lo stato dei backup"
      loading="Caricamento dei backup…"
      placeholder={<Skeleton lines={3} tall />}
    >
      {(backups) => <Shown backups={backups} />}
    </Loaded>
  );
}

function verdictOf(good: boolean | null) {
  if (good === null) {
    return <Badge tone="grey">Non ancora verificato</Badge>;
  }
  return good ? <Badge tone="green">Integro</Badge> : <Badge tone="red">Danneggiato</Badge>;
}

/** A rehearsal that opened no report must not sound like one that did. */
function outcomeOf({ ok, opened }: BackupRehearsal): string {
  if (!ok) {
    return 'Fallita';
  }
  return opened === false ? 'Fatta in parte' : 'Riuscita';
}

function Shown({ backups }: { backups: Backups }) {
  const { last, rehearsal, files, overdue, lastError, incomplete } = backups;
  return (
    <Stack>
      {overdue || lastError || incomplete || rehearsal?.ok === false ? (
        <Message kind="error" title="I backup non sono in ordine">
          {overdue ? (
            <p>L’ultimo backup riuscito è più vecchio di quanto chiede «Backup automatico».</p>
          ) : null}
          {lastError ? (
            <p>
              L’ultimo tentativo, {formatDateTime(lastError.at)}, è fallito: {lastError.message}. Il server
              riprova ogni ora.
            </p>
          ) : null}
          {incomplete ? (
            <p>
              {incomplete.message}. Rilevato il {formatDateTime(incomplete.at)}.
            </p>
          ) : null}
          {rehearsal?.ok === false ? <p>La prova di ripristino è fallita: {rehearsal.message}.</p> : null}
        </Message>
      ) : null}
      <Facts>
        <Fact name="Ultimo riuscito">
          {last ? (
            <>
              <Time at={last.at} />, {megabytes(last.bytes)}
              {last.good ? ', verificato' : ', non ancora verificato'}
            </>
          ) : (
            'Nessuno'
          )}
        </Fact>
        <Fact name="Prova di ripristino">
          {rehearsal ? (
            <>
              {outcomeOf(rehearsal)} il <Time at={rehearsal.at} />
              {rehearsal.opened === false
                ? ': struttura verificata, contenuti non aperti (modalità sigillata)'
                : ''}
            </>
          ) : (
            'Non ancora fatta: il server ne fa una alla settimana'
          )}
        </Fact>
      </Facts>
      {files.length > 0 ? (
        <Details
          summary={`${files.length === 1 ? 'Un backup conservato' : `${files.length} backup conservati`} sul server`}
        >
          <Stack as="ul" lined>
            {files.map(({ name, at, bytes, good }) => (
              <Row as="li" key={name} gap={2}>
                <div>
                  <Time at={at} />, {megabytes(bytes)}
                  <Text small tone="muted">
                    {name}
                  </Text>
                </div>
                {verdictOf(good)}
              </Row>
            ))}
          </Stack>
        </Details>
      ) : null}
    </Stack>
  );
}
