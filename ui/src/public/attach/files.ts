/**
 * The files that go with a conversation: sent over tus, resumed after a lost line, taken back. Loads what speaks tus only when
 * somebody attaches. Must never send a file that was taken back, nor keep anything of one in the browser but its name and place.
 */
import type { Upload } from 'tus-js-client';
import { openStore, readJson, writeJson } from '../../shared/lib/storage';

const ENDPOINT = '/paibeta/api/chat/attachments';
/** Names of the browser's copy: what a reload of the tab needs. */
const KEY = 'segnalazioni_files';
/** Milliseconds after which a broken line is tried again. */
const RETRIES = [0, 1000, 3000, 5000, 10_000, 20_000];

export type Limits = { maxMb: number; perReport: number };

export type Item = {
  key: number;
  name: string;
  size: number;
  sent: number;
  state: 'sending' | 'paused' | 'done' | 'failed';
  /** What went wrong, in words. */
  error: string;
};

/** What a reload needs of a file that has arrived. */
type Kept = { name: string; size: number; url: string };
type Changed = (items: readonly Item[]) => void;
type Memory = { token: string; files: Kept[] };

const UNREACHABLE = 'Connessione assente: il file riparte da solo quando torna.';
const FAILED = 'Il file non è arrivato. Toglilo e riprova.';

/** What the server said of a refusal, if it said something. */
function detailOf(body: string): string {
  try {
    return String((JSON.parse(body) as { detail?: unknown }).detail ?? '');
  } catch {
    return '';
  }
}

/** Whether a call that failed with this status may succeed later; 0 is a line that broke. */
const mayPass = (status: number) => status === 0 || [408, 409, 423, 500, 502, 503, 504].includes(status);

function takeBack(url: string, token: string): void {
  const headers = { 'Tus-Resumable': '1.0.0', 'X-Conversation': token };
  fetch(url, { method: 'DELETE', headers }).catch(() => undefined);
}

/** The conversation is over. What no report will follow is taken back at once; the server would do it after a day. */
export function leaveFiles(takenBack: boolean): void {
  const store = openStore('sessionStorage');
  const kept = readJson(store, KEY) as Memory | undefined;
  store?.removeItem(KEY);
  if (takenBack) {
    for (const { url } of kept?.files ?? []) {
      takeBack(url, kept?.token ?? '');
    }
  }
}

export class Files {
  private items: Item[] = [];
  private readonly uploads = new Map<number, Upload>();
  private readonly places = new Map<number, string>();
  private next = 1;

  private readonly token: string;
  private readonly limits: Limits;
  private readonly changed: Changed;

  constructor(token: string, limits: Limits, changed: Changed) {
    this.token = token;
    this.limits = limits;
    this.changed = changed;
  }

  /** Those of a conversation that was here before a reload, with the token that names it. */
  static resume(token: string, limits: Limits, changed: Changed): Files {
    const kept = readJson(openStore('sessionStorage'), KEY) as Memory | undefined;
    const files = new Files(kept?.token ?? token, limits, changed);
    for (const { name, size, url } of kept?.files ?? []) {
      const item = files.enter(name, size);
      files.places.set(item, url);
      files.update(item, { state: 'done', sent: size });
    }
    files.remember();
    return files;
  }

  private enter(name: string, size: number): number {
    const key = this.next++;
    this.items = [...this.items, { key, name, size, sent: 0, state: 'sending', error: '' }];
    this.changed(this.items);
    return key;
  }

  private update(key: number, change: Partial<Item>): void {
    this.items = this.items.map((item) => (item.key === key ? { ...item, ...change } : item));
    this.changed(this.items);
  }

  private remember(): void {
    const files = this.items.flatMap(({ key, name, size, state }) => {
      const url = this.places.get(key);
      return state === 'done' && url !== undefined ? [{ name, size, url }] : [];
    });
    writeJson(openStore('sessionStorage'), KEY, { token: this.token, files } satisfies Memory);
  }

  /** What cannot be attached, and why; empty when it can. */
  private refusal(file: File): string {
    const { maxMb, perReport } = this.limits;
    if (this.items.filter(({ state }) => state !== 'failed').length > perReport) {
      return `Si possono allegare al massimo ${perReport} file.`;
    }
    if (file.size > maxMb * 1024 * 1024) {
      return `Il file è troppo grande: al massimo ${maxMb} MB.`;
    }
    return file.size === 0 ? 'Il file è vuoto.' : '';
  }

  async add(file: File): Promise<void> {
    const key = this.enter(file.name || 'allegato', file.size);
    const error = this.refusal(file);
    if (error !== '') {
      this.update(key, { state: 'failed', error });
      return;
    }
    try {
      const { Upload } = await import('tus-js-client');
      if (this.items.some((item) => item.key === key)) {
        this.send(key, file, Upload);
      }
    } catch {
      this.update(key, { state: 'failed', error: FAILED });
    }
  }

  private send(key: number, file: File, Tus: typeof Upload): void {
    const upload = new Tus(file, {
      endpoint: ENDPOINT,
      headers: { 'X-Conversation': this.token },
      metadata: { filename: file.name, filetype: file.type },
      retryDelays: RETRIES,
      storeFingerprintForResuming: false,
      onProgress: (sent) => this.update(key, { sent, state: 'sending', error: '' }),
      onShouldRetry: (error) => mayPass(error.originalResponse?.getStatus() ?? 0),
      onUploadUrlAvailable: () => {
        if (upload.url) {
          this.places.set(key, upload.url);
        }
      },
      onSuccess: () => {
        this.update(key, { state: 'done', sent: file.size });
        this.remember();
      },
      onError: (error) => {
        const response = 'originalResponse' in error ? error.originalResponse : null;
        const passing = mayPass(response?.getStatus() ?? 0);
        const said = response ? detailOf(response.getBody()) : '';
        if (!passing) {
          // What the server refuses it has dropped.
          this.places.delete(key);
        }
        this.update(key, {
          state: passing ? 'paused' : 'failed',
          error: said || (passing ? UNREACHABLE : FAILED),
        });
      },
    });
    this.uploads.set(key, upload);
    upload.start();
  }

  /** The line is gone: what is on its way waits. */
  pause(): void {
    for (const item of this.items.filter(({ state }) => state === 'sending')) {
      void this.uploads.get(item.key)?.abort();
      this.update(item.key, { state: 'paused', error: UNREACHABLE });
    }
  }

  /** Goes on with what waits. */
  goOn(): void {
    for (const item of this.items.filter(({ state }) => state === 'paused')) {
      this.update(item.key, { state: 'sending', error: '' });
      this.uploads.get(item.key)?.start();
    }
  }

  /** Takes a file back, here and on the server; there it would be gone after a day anyway. */
  remove(key: number): void {
    void this.uploads.get(key)?.abort();
    const place = this.places.get(key);
    if (place !== undefined) {
      takeBack(place, this.token);
    }
    this.items = this.items.filter((item) => item.key !== key);
    this.changed(this.items);
    this.remember();
  }

  /** Nothing shows them any more: what is on its way is given up, here and on the server. */
  end(): void {
    for (const { key, state } of this.items) {
      if (state === 'sending' || state === 'paused') {
        void this.uploads.get(key)?.abort();
        const place = this.places.get(key);
        if (place !== undefined) {
          takeBack(place, this.token);
        }
      }
    }
  }
}
