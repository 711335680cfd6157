/**
 * Receives the CSV of an export piece by piece. Must never hand over a file that is not whole: the server says in advance
 * how many rows there are, and they are counted as they come.
 */
import { fileNameOf } from '../common/receive-file';

const QUOTE = 0x22;
const LINE_FEED = 0x0a;

/** Counts the rows of a CSV stream; line feeds inside quotes end none. Works on bytes, so pieces may end anywhere. */
export class RowCounter {
  #rows = 0;
  #quoted = false;

  /** Rows that have ended, the heading among them. */
  get rows(): number {
    return this.#rows;
  }

  add(piece: Uint8Array): void {
    for (const byte of piece) {
      if (byte === QUOTE) {
        this.#quoted = !this.#quoted;
      } else if (byte === LINE_FEED && !this.#quoted) {
        this.#rows += 1;
      }
    }
  }
}

export interface ExportProgress {
  /** Reports received so far. */
  rows: number;
  /** Reports in all. */
  total: number;
}

/** The stream ended before its last row. */
export class IncompleteExport extends Error {
  override readonly name = 'IncompleteExport';
}

/** Reads an export to its end. */
export async function receiveExport(
  answer: Response,
  onProgress: (progress: ExportProgress) => void,
): Promise<{ file: Blob; name: string; rows: number }> {
  const total = Number(answer.headers.get('x-total-rows') ?? Number.NaN);
  const name = fileNameOf(answer.headers.get('content-disposition'));
  const reader = answer.body?.getReader();
  if (!reader || !Number.isSafeInteger(total)) {
    throw new IncompleteExport('no body or no number of rows');
  }
  const counter = new RowCounter();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    counter.add(next.value);
    pieces.push(next.value);
    onProgress({ rows: Math.max(0, counter.rows - 1), total });
  }
  const rows = counter.rows - 1;
  if (rows !== total) {
    throw new IncompleteExport(`${rows} rows instead of ${total}`);
  }
  return { file: new Blob(pieces, { type: answer.headers.get('content-type') ?? 'text/csv' }), name, rows };
}
