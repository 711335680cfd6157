/** Receives the JSON backup piece by piece. Must never hand over a file that does not end like a whole one. */
import { ToldError } from '../common/errors';
import { fileNameOf } from '../common/receive-file';

/** How a whole file ends: the list of reports, then the file itself. */
const END = ']}';

const incomplete = () => new ToldError('Il file è arrivato incompleto e non è stato salvato. Riprova.');

/** Reads a backup to its end; `onBytes` is told how much has come so far. */
export async function receiveBackup(
  answer: Response,
  onBytes: (bytes: number) => void,
): Promise<{ file: Blob; name: string }> {
  const name = fileNameOf(answer.headers.get('content-disposition'));
  const reader = answer.body?.getReader();
  if (!reader || name === '') {
    throw incomplete();
  }
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    pieces.push(next.value);
    bytes += next.value.length;
    onBytes(bytes);
  }
  const file = new Blob(pieces, { type: 'application/json' });
  if ((await file.slice(-END.length).text()) !== END) {
    throw incomplete();
  }
  return { file, name };
}
