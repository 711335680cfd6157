import { useState } from 'react';
import { addressOf, call } from '../../shared/api/client';
import { download, saveFile } from '../../shared/lib/save-file';
import { counted } from '../../shared/lib/text';
import { announce } from '../../shared/ui/announcer';
import { IN_PAGE_REPORTS, incomplete, openFile, receive, useDownload } from '../common/downloads';
import { askedFor, type Filters, withFilter } from '../common/list/filters';

interface ExportProgress {
  rows: number;
  total: number;
}

export type Exporter = ReturnType<typeof useExport>;

export function useExport() {
  const [progress, setProgress] = useState<ExportProgress | null>(null);
  const { start, ...rest } = useDownload(() => announce('Esportazione annullata.'));

  const inPage = async (address: string, signal: AbortSignal) => {
    const { file, name, rows } = await receiveExport(await openFile(address, signal), setProgress);
    saveFile(file, name);
    return `Esportazione completata: ${counted(rows, 'segnalazione', 'segnalazioni')}.`;
  };
  const byBrowser = async (address: string, signal: AbortSignal) => {
    // A download that the server refuses would end up as a file with the refusal in it.
    await call('get', '/session', { signal });
    download(address, '');
    return 'Esportazione avviata: l’archivio è grande, segui il download nel browser.';
  };
  return {
    ...rest,
    progress,
    /** `archive`: the number of reports in all; `extra`: with the further columns. */
    start: (filters: Filters, archive: number, extra: boolean) =>
      start((signal) => {
        setProgress(null);
        const { order, sort: _, ...asked } = askedFor(withFilter(filters, {}), 0);
        const query = { ...asked, ...(order === 'asc' ? { order } : {}), ...(extra ? { extra } : {}) };
        const address = addressOf('/reports/export.csv', { query });
        return (archive > IN_PAGE_REPORTS ? byBrowser : inPage)(address, signal);
      }),
  };
}

const QUOTE = 0x22;
const LINE_FEED = 0x0a;

/** Counts the rows of a CSV that have ended, with the heading; line feeds inside quotes end none. */
function rowCounter(): (piece: Uint8Array) => number {
  let rows = 0;
  let quoted = false;
  return (piece) => {
    for (const byte of piece) {
      if (byte === QUOTE) {
        quoted = !quoted;
      } else if (byte === LINE_FEED && !quoted) {
        rows += 1;
      }
    }
    return rows;
  };
}

/** Reads an export to its end. The server says in advance how many rows there are, and they are counted as they come. */
export async function receiveExport(
  answer: Response,
  onProgress: (progress: ExportProgress) => void,
): Promise<{ file: Blob; name: string; rows: number }> {
  const total = Number(answer.headers.get('x-total-rows') ?? Number.NaN);
  const count = rowCounter();
  let rows = 0;
  const { file, name } = await receive(answer, (piece) => {
    rows = Math.max(0, count(piece) - 1);
    onProgress({ rows, total });
  });
  if (rows !== total) {
    throw incomplete();
  }
  return { file, name, rows };
}
