import { describe, expect, it } from 'vitest';
import { receiveExport } from './use-export';

const bytes = (text: string) => new TextEncoder().encode(text);
const CSV = '\ufeffID;Nome\r\n1;"a\r\n""b"""\r\n2;è\r\n';

function answer(pieces: Uint8Array<ArrayBuffer>[], total: string | null): Response {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces) {
        controller.enqueue(piece);
      }
      controller.close();
    },
  });
  return new Response(body, {
    headers: {
      'content-disposition': 'attachment; filename="segnalazioni_prova.csv"; filename*=UTF-8\'\'x.csv',
      'content-type': 'text/csv; charset=utf-8',
      ...(total === null ? {} : { 'x-total-rows': total }),
    },
  });
}

describe('receiving an export', () => {
  it('gives the bytes as they came, the name of the server, and the way there', async () => {
    const whole = bytes(CSV);
    const seen: unknown[] = [];
    const pieces = [whole.slice(0, 15), whole.slice(15, 31), whole.slice(31)];
    const { file, name, rows } = await receiveExport(answer(pieces, '2'), (progress) => seen.push(progress));
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(whole);
    expect([name, rows]).toEqual(['segnalazioni_prova.csv', 2]);
    expect(seen.at(-1)).toEqual({ rows: 2, total: 2 });
    expect(seen).toHaveLength(3);
  });

  it('counts the same rows however the stream is cut', async () => {
    const whole = bytes(CSV);
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const pieces = [whole.slice(0, cut), whole.slice(cut)];
      expect((await receiveExport(answer(pieces, '2'), () => undefined)).rows).toBe(2);
    }
  });

  it('takes a selection without reports', async () => {
    expect((await receiveExport(answer([bytes('ID\r\n')], '0'), () => undefined)).rows).toBe(0);
  });

  it.each(['3', '1', null])('refuses %s rows announced where there are two', async (total) => {
    await expect(receiveExport(answer([bytes(CSV)], total), () => undefined)).rejects.toThrow('incompleto');
  });
});
