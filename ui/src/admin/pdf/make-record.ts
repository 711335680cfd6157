/** Entry of the part that loads when a PDF is asked for. Must stay the only importer of the font. */
import { NetworkError } from '../../shared/api/errors';
import type { ReportDetail } from '../../shared/api/schema';
import { recordFileName } from './file-name';
import fontAddress from './font/record-font.ttf?url';
import { drawRecord } from './record';

async function loadFont(): Promise<ArrayBuffer> {
  const answer = await fetch(fontAddress).catch((error: unknown) => {
    throw new NetworkError(false, error);
  });
  if (!answer.ok) {
    throw new Error(`the font could not be fetched: ${answer.status}`);
  }
  return answer.arrayBuffer();
}

/** The record of a report, and the name of its file. */
export async function makeRecord(
  report: ReportDetail,
  productName: string,
): Promise<{ file: Blob; name: string }> {
  const font = await loadFont();
  const file = drawRecord(report, { productName, font, printedAt: new Date().toISOString() });
  return { file, name: recordFileName(report.id, `${report.nome} ${report.cognome}`) };
}
