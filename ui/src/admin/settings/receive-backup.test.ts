import { describe, expect, it } from 'vitest';
import { receiveBackup } from './backup-now';

const CUT = 'Il file è arrivato incompleto e non è stato salvato. Riprova.';

const WHOLE = '{"format":"segnalazioni-backup","reports":[{"nome":"è"}]}';

function answer(text: string, disposition = 'attachment; filename="backup_prova_2026-11-21.json"'): Response {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(bytes.slice(0, 20));
      controller.enqueue(bytes.slice(20));
      controller.close();
    },
  });
  return new Response(body, { headers: { 'content-disposition': disposition } });
}

describe('receiving a backup', () => {
  it('gives the file as it came and the name of the server', async () => {
    const seen: number[] = [];
    const { file, name } = await receiveBackup(answer(WHOLE), (bytes) => seen.push(bytes));
    expect([await file.text(), name]).toEqual([WHOLE, 'backup_prova_2026-11-21.json']);
    expect(seen).toEqual([20, new TextEncoder().encode(WHOLE).length]);
  });

  it.each([WHOLE.slice(0, -1), WHOLE.slice(0, 40), ''])('refuses what was cut: %s', async (text) => {
    await expect(receiveBackup(answer(text), () => undefined)).rejects.toThrow(CUT);
  });

  it('refuses what has no name: it is no backup', async () => {
    await expect(receiveBackup(answer(WHOLE, 'inline'), () => undefined)).rejects.toThrow(CUT);
  });
});
