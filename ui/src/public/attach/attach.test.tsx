import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { lineDown, noContent, problem, type Request, serve } from '../../shared/testing/server';
import { Attach } from './attach';
import { leaveFiles, lookAfterFiles, shownFiles } from './files';

const PLACE = '/paibeta/api/chat/attachments/1';
const DELETED = 'DELETE /chat/attachments/1';
type Options = {
  chunkSize: number;
  headers: Record<string, string>;
  onProgress: (sent: number) => void;
  onUploadUrlAvailable: () => void;
  onSuccess: () => void;
  onError: (error: unknown) => void;
  onShouldRetry: (error: unknown) => boolean;
};
type Sent = { url: string | null; options: Options; started: number; aborted: number };
const sent: Sent[] = [];
/** Whether the server takes what is announced. */
let takes = true;

vi.mock('tus-js-client', () => ({
  Upload: class {
    url: string | null = null;
    started = 0;
    aborted = 0;
    options: Options;
    constructor(_: File, options: Options) {
      this.options = options;
      sent.push(this);
    }
    start() {
      this.started++;
      if (takes) {
        this.url = PLACE;
        this.options.onUploadUrlAvailable();
      }
    }
    abort() {
      this.aborted++;
      return Promise.resolve();
    }
  },
}));

let asked: Request[];
/** The server's answers to a new file, and to the deletion of one. */
let reply: () => Response;
const calls = () => asked.map(({ method, path }) => `${method} ${path}`);
const hold = { current: null as (() => boolean) | null };
const show = (token = 't') =>
  render(<Attach limits={{ maxMb: 1, perReport: 2 }} token={token} last={true} hold={hold} />);

async function choose(...files: File[]) {
  await act(async () => {
    fireEvent.change(screen.getByLabelText('Allega file'), { target: { files } });
    await vi.dynamicImportSettled();
  });
}
const photo = (name: string, size = 2000) => new File([new Uint8Array(size)], name, { type: 'image/jpeg' });
const upload = () => sent[sent.length - 1] as Sent;
const happens = (what: (options: Options) => void) => act(() => what(upload().options));
const refusal = (status: number, detail: string) => ({
  originalResponse: { getStatus: () => status, getBody: () => JSON.stringify({ detail }) },
});

beforeEach(() => {
  sent.length = 0;
  takes = true;
  reply = noContent;
  asked = serve(() => reply());
});
afterEach(() => {
  cleanup();
  leaveFiles(true);
  vi.unstubAllGlobals();
  sessionStorage.clear();
});

it('shows how far a file is, and holds the last answer back until it has arrived', async () => {
  show();
  await choose(photo('piazza.jpg'));
  expect(upload().options.headers['X-Conversation']).toBe('t');
  happens((options) => options.onProgress(1000));
  expect(screen.getByRole('progressbar', { name: 'Invio di piazza.jpg' })).toHaveValue(1000);
  act(() => expect(hold.current?.()).toBe(true));
  expect(screen.getByRole('alert')).toHaveTextContent('aspetta che finisca');
  happens((options) => options.onSuccess());
  expect(screen.getByText('Allegato, 2 kB')).toBeInTheDocument();
  expect(screen.queryByRole('alert')).toBeNull();
  expect(hold.current?.()).toBe(false);
});

it('pauses where the line is lost, goes on, and says what the server refuses', async () => {
  show();
  await choose(photo('piazza.jpg'));
  happens((options) => options.onError(refusal(503, '')));
  expect(screen.getByText(/^Manca la linea/)).toBeInTheDocument();
  fireEvent.click(screen.getByRole('button', { name: 'Riprendi piazza.jpg' }));
  expect(upload().started).toBe(2);
  act(() => window.dispatchEvent(new Event('offline')));
  expect(upload().aborted).toBe(1);
  act(() => window.dispatchEvent(new Event('online')));
  expect(upload().started).toBe(3);
  happens((options) => options.onError(refusal(415, 'Tipo no.')));
  expect(screen.getByText('Non allegato. Tipo no.')).toBeInTheDocument();
  expect(hold.current?.()).toBe(false);
});

it('proves in a siege that it does not send by the thousand, once for all files', async () => {
  takes = false;
  show();
  await choose(photo('piazza.jpg'));
  await choose(photo('porto.jpg'));
  const challenge = (salt: string) => ({
    originalResponse: {
      getStatus: () => 428,
      getBody: () => JSON.stringify({ challenge: { salt, bits: 1 } }),
    },
  });
  const ask = async (of: Sent, salt: string) => {
    act(() => of.options.onError(challenge(salt)));
    await act(() => vi.dynamicImportSettled());
    await vi.waitFor(() => expect(of.options.headers['X-Proof']).toBeDefined());
  };
  const [first, second] = sent as [Sent, Sent];
  await ask(first, 'sale');
  await ask(second, 'altro');
  expect(first.options.headers['X-Proof']).toMatch(/^sale:\d+$/);
  expect(second.options.headers['X-Proof']).toBe(first.options.headers['X-Proof']);
  expect([first.started, second.started]).toEqual([2, 2]);
  // One that is not taken, as it came too late, is looked for anew.
  await ask(second, 'nuovo');
  await vi.waitFor(() => expect(second.options.headers['X-Proof']).toMatch(/^nuovo:/));
  expect(screen.queryByText(/^Non allegato/)).toBeNull();
});

it('says at once what the server refuses to begin, and holds nothing for it', async () => {
  takes = false;
  show();
  await choose(photo('piazza.jpg'));
  for (const status of [409, 429, 507]) {
    expect(upload().options.onShouldRetry(refusal(status, ''))).toBe(false);
  }
  happens((options) => options.onError(refusal(409, 'Hai già allegato il numero massimo di file.')));
  expect(screen.getByText('Non allegato. Hai già allegato il numero massimo di file.')).toBeInTheDocument();
  expect(hold.current?.()).toBe(false);
  expect(upload().options.onShouldRetry(refusal(503, ''))).toBe(true);
});

it.each([429, 507])('goes on by itself with a file that was begun when %i has passed', async (status) => {
  show();
  await choose(photo('piazza.jpg'));
  vi.useFakeTimers();
  expect(upload().options.onShouldRetry(refusal(409, ''))).toBe(true);
  expect(upload().options.onShouldRetry(refusal(status, ''))).toBe(false);
  happens((options) => options.onError(refusal(status, 'Non c’è spazio.')));
  expect(screen.getByText('Non c’è spazio.')).toBeInTheDocument();
  act(() => expect(hold.current?.()).toBe(true));
  act(() => vi.advanceTimersByTime(30_000));
  expect(upload().started).toBe(2);
  fireEvent.click(screen.getByRole('button', { name: 'Annulla piazza.jpg' }));
  vi.useRealTimers();
  await vi.waitFor(() => expect(calls()).toEqual([DELETED]));
});

it('refuses what is too large, empty or too many before anything leaves', async () => {
  show();
  await choose(photo('grande.jpg', 1024 * 1024 + 1), photo('vuota.jpg', 0));
  expect(
    screen.getByText('Non allegato. Il file è troppo grande: al massimo 1 MB. Dividilo o riducilo.'),
  ).toBeInTheDocument();
  expect(
    screen.getByText('Non allegato. Il file è vuoto: controllalo e allegalo di nuovo.'),
  ).toBeInTheDocument();
  expect(sent).toHaveLength(0);
  await choose(photo('a.jpg'));
  await choose(photo('b.jpg'), photo('c.jpg'));
  expect(screen.getByText('Non allegato. Si possono allegare al massimo 2 file.')).toBeInTheDocument();
  expect(sent).toHaveLength(2);
});

it('says at a file that the server dropped it, holds the last answer back, and attaches it again', async () => {
  show();
  expect(shownFiles()).toEqual([]);
  await choose(photo('piazza.jpg'));
  expect(shownFiles()).toEqual([]);
  happens((options) => options.onSuccess());
  expect(shownFiles()).toEqual(['1']);
  await act(() => lookAfterFiles());
  expect(screen.getByText('Allegato, 2 kB')).toBeInTheDocument();
  reply = () => problem(404, 'non-trovato');
  await act(() => lookAfterFiles());
  expect(calls()).toContain('HEAD /chat/attachments/1');
  expect(screen.getByText('Non c’è più: allegalo di nuovo.')).toBeInTheDocument();
  expect(shownFiles()).toEqual([]);
  act(() => expect(hold.current?.()).toBe(true));
  expect(screen.getByRole('alert')).toHaveTextContent('allegalo di nuovo oppure toglilo');
  await act(async () => {
    fireEvent.click(screen.getByRole('button', { name: 'Allega di nuovo piazza.jpg' }));
    await vi.dynamicImportSettled();
  });
  expect(sent).toHaveLength(2);
  happens((options) => options.onSuccess());
  expect(shownFiles()).toEqual(['1']);
  expect(hold.current?.()).toBe(false);
});

it('takes what cannot be asked about to be there', async () => {
  show();
  await choose(photo('piazza.jpg'));
  happens((options) => options.onSuccess());
  reply = lineDown;
  await act(() => lookAfterFiles());
  expect(shownFiles()).toEqual(['1']);
});

it('leaves a dropped file out where nothing shows files any more', async () => {
  const page = show();
  await choose(photo('piazza.jpg'));
  happens((options) => options.onSuccess());
  page.unmount();
  vi.resetModules();
  const again = await import('./files');
  expect(again.shownFiles()).toEqual(['1']);
  reply = () => problem(404, 'non-trovato');
  await again.lookAfterFiles();
  expect(again.shownFiles()).toEqual([]);
});

it('takes a file back here and on the server', async () => {
  show();
  await choose(photo('piazza.jpg'));
  fireEvent.click(screen.getByRole('button', { name: 'Annulla piazza.jpg' }));
  expect(upload().aborted).toBe(1);
  await vi.waitFor(() => expect(calls()).toEqual([DELETED]));
  expect(screen.queryByText('piazza.jpg', { selector: 'strong' })).toBeNull();
});

it('goes on with what is on its way while something else is shown, and names it by the shortest token', async () => {
  const page = show();
  await choose(photo('piazza.jpg'));
  page.unmount();
  expect(upload().aborted).toBe(0);
  show('a token that holds the account');
  happens((options) => options.onSuccess());
  expect(screen.getByText('Allegato, 2 kB')).toBeInTheDocument();
  await choose(photo('porto.jpg'));
  expect(upload().options).toMatchObject({ chunkSize: 1024 * 1024, headers: { 'X-Conversation': 't' } });
});

it('finds again after a reload what had arrived, and leaves nothing where no report follows', async () => {
  show().unmount();
  show('the same, later').unmount();
  vi.resetModules();
  const again = { ...(await import('./attach')), ...(await import('./files')) };
  const page = render(
    <again.Attach limits={{ maxMb: 1, perReport: 2 }} token="the same, later" last={true} hold={hold} />,
  );
  await choose(photo('piazza.jpg'));
  expect(upload().options.headers['X-Conversation']).toBe('t');
  happens((options) => options.onSuccess());
  page.unmount();
  expect(asked).toEqual([]);
  vi.resetModules();
  const last = { ...(await import('./attach')), ...(await import('./files')) };
  const third = render(<last.Attach limits={{ maxMb: 1, perReport: 2 }} token="u" last={true} hold={hold} />);
  expect(screen.getByText('piazza.jpg', { selector: 'strong' })).toBeInTheDocument();
  await choose(photo('altra.jpg'));
  last.leaveFiles(true);
  // The one that had arrived, and the one on its way.
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  third.unmount();
  show();
  expect(screen.queryByText('piazza.jpg', { selector: 'strong' })).toBeNull();
});
