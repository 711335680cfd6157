import { act, fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Receipt } from '../../shared/api/schema';
import type { Boot } from '../../shared/lib/boot';
import { PLAIN } from '../../shared/testing/plain-message';
import { arrivals, lineDown, noContent, problem, type Request, serve } from '../../shared/testing/server';
import { sampleReceipt } from '../testing/sample-receipt';
import { Follow } from './follow';

const boot = {
  branding: { productName: 'Prova', organizationName: 'Redazione' },
  quickExitUrl: null,
  receipts: true,
  attachments: { maxMb: 1, perReport: 3 },
} as unknown as Boot;
const CODE = 'ABCDE-12345-FGHJK-67890';

let receipt: Receipt;
let refusal: { status: number; slug: string } | null;
let sent: string[];
/** The key of each message. */
let keys: string[];

vi.mock('tus-js-client', () => ({
  Upload: class {
    url = '/paibeta/api/chat/attachments/1';
    options: { headers: Record<string, string>; onUploadUrlAvailable: () => void; onSuccess: () => void };
    constructor(_: File, options: never) {
      this.options = options;
    }
    start() {
      sent.push(`tus ${this.options.headers['X-Conversation']}`);
      setTimeout(() => {
        this.options.onUploadUrlAvailable();
        this.options.onSuccess();
      });
    }
    abort = () => Promise.resolve();
  },
}));

const refused = (status: number, slug: string) => problem(status, slug, { detail: `Motivo ${slug}.` });

/** The newsroom as it usually answers. */
function answer({ method, path, body: given = {} }: Request): Response {
  sent.push(`${method} ${path}`);
  if (refusal !== null) {
    return refused(refusal.status, refusal.slug);
  }
  const body = given as { code?: string; text?: string; key?: string };
  if (body.code !== undefined && body.code !== CODE) {
    return refused(404, 'codice-sconosciuto');
  }
  if (body.text !== undefined) {
    keys.push(String(body.key));
    const at = `2026-03-10T10:0${receipt.messages.length}:00Z`;
    receipt = {
      ...receipt,
      messages: [...receipt.messages, { ...PLAIN, from: 'segnalante', text: body.text, at }],
    };
  }
  return method === 'DELETE' ? noContent() : Response.json(receipt);
}

beforeEach(() => {
  receipt = sampleReceipt();
  refusal = null;
  sent = [];
  keys = [];
  window.sessionStorage.clear();
  vi.useFakeTimers({ shouldAdvanceTime: true });
  serve(answer);
});
const pass = (ms: number) =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
    await arrivals();
  });
const press = async (name: string) => {
  fireEvent.click(screen.getByRole('button', { name }));
  await pass(10);
};
const type = (label: string, text: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value: text } });

async function enter() {
  render(<Follow boot={boot} />);
  type('Il tuo codice', CODE);
  await press('Apri');
}

async function attach(name: string) {
  await act(() => vi.dynamicImportSettled());
  const photo = new File([new Uint8Array(2000)], name, { type: 'image/jpeg' });
  fireEvent.change(screen.getByLabelText('Allega file'), { target: { files: [photo] } });
  await act(() => vi.dynamicImportSettled());
  await pass(10);
}

it('asks for the code, and says why one is not taken', async () => {
  render(<Follow boot={boot} />);
  expect(sent).toEqual([]);
  type('Il tuo codice', 'AAAAA');
  await press('Apri');
  expect(screen.getByLabelText('Il tuo codice')).toHaveAccessibleDescription(/Motivo codice-sconosciuto/);
  expect(screen.getByLabelText('Il tuo codice')).toHaveValue('AAAAA');
});

it('shows the thread, writes in it, and keeps up with what the newsroom writes', async () => {
  await enter();
  expect(screen.getByRole('heading', { name: 'È arrivata alla redazione.' })).toBeInTheDocument();
  type('Scrivi alla redazione', 'Ho le foto.');
  await press('Invia');
  expect(screen.getByText('Ho le foto.')).toBeInTheDocument();
  expect(screen.getByLabelText('Scrivi alla redazione')).toHaveValue('');
  const answer = { ...PLAIN, from: 'redazione', text: 'Grazie.', at: '2026-03-10T11:00:00Z' } as const;
  receipt = { ...receipt, state: 'In lavorazione', messages: [...receipt.messages, answer] };
  await pass(15_100);
  expect(screen.getByText('Grazie.')).toBeInTheDocument();
  await press('Esci');
  expect(sent.at(-1)).toBe('DELETE /receipts');
  expect(screen.queryByText('Grazie.')).toBeNull();
  expect(window.sessionStorage).toHaveLength(0);
});

it('sends a file without a word, and lists what belongs to the report', async () => {
  const file = { n: 1, name: 'la piazza.jpg', type: 'image/jpeg', size: 2000, at: '2026-03-10T10:00:00Z' };
  await enter();
  await attach('la piazza.jpg');
  expect(sent).toContain('tus t1');
  expect(screen.getByText('Allegato, 2 kB')).toBeInTheDocument();
  receipt = { ...receipt, attachments: [file] };
  await press('Invia');
  expect(screen.getByText('Allego: la piazza.jpg')).toBeInTheDocument();
  expect(screen.queryByText('Allegato, 2 kB')).toBeNull();
  expect(screen.getByText('2 kB, 10/03/2026')).toBeInTheDocument();
  expect(sent.filter((call) => call.startsWith('DELETE'))).toEqual([]);
});

it('takes a file back that no message took along', async () => {
  await enter();
  await attach('a.jpg');
  await press('Esci');
  expect(sent.filter((call) => call.startsWith('DELETE'))).toEqual([
    'DELETE /chat/attachments/1',
    'DELETE /receipts',
  ]);
  expect(window.sessionStorage).toHaveLength(0);
});

it('calls a message that is sent again the same, and another one otherwise', async () => {
  await enter();
  let lost = 3;
  serve((request) => {
    const answered = answer(request);
    return request.method === 'POST' && lost-- > 0 ? lineDown() : answered;
  });
  type('Scrivi alla redazione', 'Ho le foto.');
  await press('Invia');
  expect(screen.getByLabelText('Scrivi alla redazione')).toHaveAccessibleDescription(/^Manca la linea/);
  await press('Invia');
  expect(screen.getByLabelText('Scrivi alla redazione')).toHaveValue('');
  expect(keys).toHaveLength(4);
  expect(new Set(keys).size).toBe(1);
  type('Scrivi alla redazione', 'Ho le foto.');
  await press('Invia');
  expect(new Set(keys).size).toBe(2);
});

it('keeps what was typed when the visit ends by itself', async () => {
  await enter();
  type('Scrivi alla redazione', 'Un lungo messaggio.');
  refusal = { status: 401, slug: 'visita-scaduta' };
  await press('Invia');
  expect(screen.getByLabelText('Il tuo codice')).toHaveAccessibleDescription(/Motivo visita-scaduta\.$/);
  refusal = null;
  type('Il tuo codice', CODE);
  await press('Apri');
  expect(screen.getByLabelText('Scrivi alla redazione')).toHaveValue('Un lungo messaggio.');
});

it.each(['Invia', ''])(
  'says that files went with the visit that ended, by «%s» or by itself',
  async (button) => {
    await enter();
    await attach('a.jpg');
    refusal = { status: 401, slug: 'visita-scaduta' };
    await (button === '' ? pass(15_000) : press(button));
    expect(sent).toContain('DELETE /chat/attachments/1');
    expect(screen.getByLabelText('Il tuo codice')).toHaveAccessibleDescription(
      /Motivo visita-scaduta\. I file che non avevi ancora inviato sono stati cancellati/,
    );
  },
);

it('shows what was typed to nobody who has another code', async () => {
  await enter();
  type('Scrivi alla redazione', 'Un lungo messaggio.');
  refusal = { status: 401, slug: 'visita-scaduta' };
  await press('Invia');
  refusal = null;
  receipt = { ...receipt, data_creazione: '2026-03-11T08:00:00Z' };
  type('Il tuo codice', CODE);
  await press('Apri');
  expect(screen.getByLabelText('Scrivi alla redazione')).toHaveValue('');
});

it('shows nothing more to whoever comes after Esci, though a message was still on its way', async () => {
  await enter();
  let arrive: () => void = () => undefined;
  let cut = false;
  serve(async (request) => {
    if (request.method === 'POST') {
      await new Promise<void>((done) => {
        arrive = done;
      });
      cut = request.signal.aborted;
    }
    return answer(request);
  });
  type('Scrivi alla redazione', 'Ho le foto.');
  await press('Invia');
  await press('Esci');
  await act(async () => arrive());
  await pass(10);
  expect(screen.queryByText('Ho le foto.')).toBeNull();
  expect(screen.getByLabelText('Il tuo codice')).toBeInTheDocument();
  // An answer that is not waited for sets no cookie any more.
  expect(cut).toBe(true);
});

it('asks whether the visit still lasts when the browser shows a page that it kept', async () => {
  const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined);
  await enter();
  window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: false }));
  expect(reload).not.toHaveBeenCalled();
  window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  expect(reload).toHaveBeenCalledOnce();
});

it('says when receipts are switched off', () => {
  render(<Follow boot={{ ...boot, receipts: false }} />);
  expect(screen.getByText(/non si può seguire/)).toBeInTheDocument();
  expect(screen.queryByLabelText('Il tuo codice')).toBeNull();
});
