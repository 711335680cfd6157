import { useEffect, useRef, useState } from 'react';
import { addressOf, call } from '../../shared/api/client';
import { NetworkError } from '../../shared/api/errors';
import { formatNumber } from '../../shared/lib/text';
import { announce } from '../../shared/ui/announcer';
import { IN_PAGE_REPORTS, openFile } from '../common/receive-file';
import { download, saveFile } from '../common/save-file';
import { type ExportProgress, receiveExport } from './export-stream';
import { type Filters, queryOf } from './filters';

export interface Exporter {
  /** How far it is; null when none runs. The total is unknown until the server has counted. */
  progress: ExportProgress | 'starting' | null;
  failure: unknown;
  news: { text: string } | null;
  /** Exports the selection; `archive` is the number of reports in all. */
  start: (filters: Filters, archive: number) => void;
  cancel: () => void;
  dismissFailure: () => void;
  dismissNews: () => void;
}

function doneText(rows: number): string {
  return rows === 1
    ? 'Esportazione completata: 1 segnalazione.'
    : `Esportazione completata: ${formatNumber(rows)} segnalazioni.`;
}

/** Exports the present selection as CSV, one export at a time. */
export function useExport(): Exporter {
  const [progress, setProgress] = useState<Exporter['progress']>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [news, setNews] = useState<{ text: string } | null>(null);
  const running = useRef<AbortController | null>(null);

  // An export belongs to the page that shows how far it is.
  useEffect(() => () => running.current?.abort(), []);

  const inPage = async (address: string, signal: AbortSignal) => {
    const { file, name, rows } = await receiveExport(await openFile(address, signal), setProgress);
    saveFile(file, name);
    setNews({ text: doneText(rows) });
  };
  const byBrowser = async (address: string, signal: AbortSignal) => {
    // A download that the server refuses would end up as a file with the refusal in it.
    await call('get', '/session', { signal });
    download(address, '');
    setNews({ text: 'Esportazione avviata: l’archivio è grande, segui il download nel browser.' });
  };
  const run = async (filters: Filters, archive: number, controller: AbortController) => {
    const address = addressOf('/reports/export.csv', { query: queryOf({ ...filters, cursor: null }) });
    try {
      await (archive > IN_PAGE_REPORTS ? byBrowser : inPage)(address, controller.signal);
    } catch (error) {
      if (controller.signal.aborted) {
        announce('Esportazione annullata.');
      } else {
        // What breaks the stream is the line, whatever the browser calls it.
        setFailure(error instanceof TypeError ? new NetworkError(false, error) : error);
      }
    } finally {
      running.current = null;
      setProgress(null);
    }
  };
  return {
    progress,
    failure,
    news,
    start: (filters, archive) => {
      if (running.current) {
        return;
      }
      running.current = new AbortController();
      setFailure(null);
      setNews(null);
      setProgress('starting');
      void run(filters, archive, running.current);
    },
    cancel: () => running.current?.abort(),
    dismissFailure: () => setFailure(null),
    dismissNews: () => setNews(null),
  };
}
