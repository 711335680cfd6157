import { call } from '../../shared/api/client';
import { NetworkError } from '../../shared/api/errors';
import type { RedactedText, ReportDetail } from '../../shared/api/schema';
import { now } from '../../shared/lib/clock';
import fontAddress from './font/record-font.ttf?url';
import { drawCleanCopy, drawRecord } from './record';

async function loadFont(): Promise<ArrayBuffer> {
  const answer = await fetch(fontAddress).catch((error: unknown) => {
    throw new NetworkError(false, error);
  });
  if (!answer.ok) {
    throw new Error(`the font could not be fetched: ${answer.status}`);
  }
  return answer.arrayBuffer();
}

export async function makeRecord(
  report: ReportDetail,
  productName: string,
): Promise<{ file: Blob; name: string }> {
  const font = await loadFont();
  const path = { id: report.id };
  const { data: messages } = await call('get', '/reports/{id}/messages', { path, background: true });
  const file = drawRecord(report, { messages, productName, font, printedAt: new Date(now()).toISOString() });
  const { pdfWithoutName } = await call('get', '/settings/desk', { background: true });
  const name = pdfWithoutName ? '' : `${report.nome} ${report.cognome}`;
  return { file, name: recordFileName(report.id, name) };
}

/** The clean copy of a report as a PDF, which is told of it no more than what leaves. */
export const makeCleanCopy = async (copy: RedactedText, productName: string): Promise<Blob> =>
  drawCleanCopy(copy, { productName, font: await loadFont(), printedAt: new Date(now()).toISOString() });

/** Most characters of the name part: file systems stop at 255 bytes, and the id and a script of 4 bytes must fit. */
const LONGEST = 40;

/** `segnalazione_{id}_{name}.pdf`, the name with underscores for spaces (PRODUCT.md §6). */
export function recordFileName(id: string, name: string): string {
  const safe = name
    .normalize('NFC')
    // The characters that no file name may hold, controls, and marks that change the direction of writing.
    .replace(/[\\/:*?"<>|\p{C}]/gu, '')
    .trim()
    .replace(/\s+/gu, '_');
  const short = [...safe].slice(0, LONGEST).join('');
  return `segnalazione_${id}${short ? `_${short}` : ''}.pdf`;
}
