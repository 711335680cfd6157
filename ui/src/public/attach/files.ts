/**
 * The files that go with a conversation: sent over tus, resumed after a lost line, taken back. Loads what speaks tus with the
 * first file. Must never send a file that was taken back, nor keep anything of one in the browser but its name, kind and place.
 */
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Upload } from 'tus-js-client';
import type { Challenge, Problem } from '../../shared/api/schema';
import { ownKey } from '../../shared/lib/boot';
import { openStore, readJson, writeJson } from '../../shared/lib/storage';

const ENDPOINT = '/paibeta/api/chat/attachments';
/** Names of the browser's copy, what a reload of the tab needs: of a conversation, and of a visit. */
const keyOf = (later: boolean) => ownKey(later ? 'files_seguito' : 'files');
/** Milliseconds after which a broken line is tried again, and what waits for longer than that. */
const RETRIES = [0, 1000, 3000, 5000, 10_000, 20_000];
const AGAIN = 30_000;
/** Bytes of a request: what a proxy in between takes at least, as nginx by itself. */
const PIECE = 1024 * 1024;

export type Limits = { maxMb: number; perReport: number };

export type Item = {
  key: number;
  name: string;
  /** By the word of the browser, which only names what is shown of it. */
  type: string;
  size: number;
  /** Absent after a reload. */
  file?: File;
  sent: number;
  /** `gone`: it had arrived, and the server has dropped it. */
  state: 'sending' | 'paused' | 'done' | 'failed' | 'gone';
  error: string;
};

/** The data of an arrived file that a reload needs. */
type StoredFile = Pick<Item, 'name' | 'type' | 'size'> & { url: string };
type Memory = { token: string; files: StoredFile[] };

export const isUnderWay = ({ state }: Item): boolean => state === 'sending' || state === 'paused';

const UNREACHABLE = 'Manca la linea: il file riparte da solo quando torna.';
const FAILED = 'Il file non è arrivato. Toglilo e riprova.';
const GONE = 'Non c’è più: allegalo di nuovo.';

function problemIn(body: string): Pick<Partial<Problem>, 'detail' | 'challenge'> {
  try {
    return (JSON.parse(body) as Problem | null) ?? {};
  } catch {
    return {};
  }
}

/** The statuses of faults that pass at once, or never: 0 is a broken connection. */
const BROKEN = [0, 408, 423, 500, 502, 503, 504];
/** A file that was begun survives another offset and, later, limits and a full disk. A file that is to begin is refused. */
const isBroken = (status: number, begun: boolean) => BROKEN.includes(status) || (begun && status === 409);
const mayPass = (status: number, begun: boolean) =>
  isBroken(status, begun) || (begun && [429, 507].includes(status));

async function prove({ salt, bits }: Challenge): Promise<string> {
  const { solve } = await import('../chat/solve');
  return `${salt}:${await solve(salt, bits)}`;
}

function takeBack(url: string, token: string): void {
  const headers = { 'Tus-Resumable': '1.0.0', 'X-Conversation': token };
  fetch(url, { method: 'DELETE', headers, keepalive: true }).catch(() => undefined);
}

/** Those of the conversation and of the visit under way: they outlast what shows them. */
const open = new Map<boolean, Files>();

/** Ends a conversation's or visit's files; `takenBack` erases them now, not after a day. True where there were any. */
export function leaveFiles(takenBack: boolean, later = false): boolean {
  open.get(later)?.end();
  open.delete(later);
  const kept = keptIn(later);
  openStore('sessionStorage')?.removeItem(keyOf(later));
  if (takenBack) {
    for (const { url } of kept?.files ?? []) {
      takeBack(url, kept?.token ?? '');
    }
  }
  return (kept?.files ?? []).length > 0;
}

const idOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

function keptIn(later: boolean): Memory | undefined {
  return readJson(openStore('sessionStorage'), keyOf(later)) as Memory | undefined;
}

/** Ids of the files that are shown as attached; undefined where there never were any. */
export function shownFiles(later = false): string[] | undefined {
  return open.get(later)?.shown() ?? keptIn(later)?.files.map(({ url }) => idOf(url));
}

/** Whether the server has dropped a file; what cannot be asked is taken to be there. */
async function isGone(url: string, token: string): Promise<boolean> {
  const headers = { 'Tus-Resumable': '1.0.0', 'X-Conversation': token };
  const answer = await fetch(url, { method: 'HEAD', headers }).catch(() => null);
  return answer?.status === 404;
}

/** Looks which of the files shown as attached are gone, and marks them; where nothing shows them they are left out from now on. */
export async function lookAfterFiles(later = false): Promise<void> {
  const files = open.get(later);
  const kept = keptIn(later);
  if (files !== undefined) {
    await files.lookAfter();
  } else if (kept !== undefined) {
    const gone = await Promise.all(kept.files.map(({ url }) => isGone(url, kept.token)));
    writeJson(openStore('sessionStorage'), keyOf(later), {
      ...kept,
      files: kept.files.filter((_, index) => !gone[index]),
    } satisfies Memory);
  }
}

/** The files of this conversation, or visit, as they are now. */
export function useFiles(token: string, limits: Limits, later = false): [Files, readonly Item[]] {
  const [files] = useState(() => {
    const those = open.get(later) ?? Files.resume(token, limits, later);
    open.set(later, those);
    return those;
  });
  useEffect(() => files.know(token), [files, token]);
  return [files, useSyncExternalStore(files.watch, files.now)];
}

export class Files {
  private items: readonly Item[] = [];
  private readonly uploads = new Map<number, Upload>();
  private readonly places = new Map<number, string>();
  private readonly watchers = new Set<() => void>();
  private readonly ended = new AbortController();
  private next = 1;
  /** The proof that siege mode asks for before the first file, found once for all files. */
  private proof: Promise<string> | undefined;
  private token: string;
  private readonly limits: Limits;
  private readonly later: boolean;

  /** Aborts once the conversation, or the visit, is over. */
  readonly over = this.ended.signal;

  private constructor(token: string, limits: Limits, later: boolean) {
    this.token = token;
    this.limits = limits;
    this.later = later;
    window.addEventListener('offline', () => this.pause(), { signal: this.over });
    window.addEventListener('online', () => this.goOn(), { signal: this.over });
  }

  static resume(token: string, limits: Limits, later: boolean): Files {
    const kept = keptIn(later);
    const files = new Files(kept?.token ?? token, limits, later);
    for (const { url, ...stored } of kept?.files ?? []) {
      const item = files.enter(stored);
      files.places.set(item, url);
      files.update(item, { state: 'done', sent: stored.size });
    }
    files.know(token);
    return files;
  }

  readonly now = (): readonly Item[] => this.items;

  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  /** Any token of a conversation names it: the shortest, from before the account, fits into a header. A visit's runs out. */
  know(token: string): void {
    if (this.later || token.length < this.token.length) {
      this.token = token;
    }
    this.remember();
  }

  private set(items: readonly Item[]): void {
    this.items = items;
    for (const watcher of this.watchers) {
      watcher();
    }
  }

  private enter(what: Pick<Item, 'name' | 'type' | 'size' | 'file'>): number {
    const key = this.next++;
    this.set([...this.items, { ...what, key, sent: 0, state: 'sending', error: '' }]);
    return key;
  }

  private update(key: number, change: Partial<Item>): void {
    this.set(this.items.map((item) => (item.key === key ? { ...item, ...change } : item)));
  }

  private remember(): void {
    if (this.over.aborted) {
      return;
    }
    const files = this.items.flatMap(({ key, name, type, size, state }) => {
      const url = this.places.get(key);
      return state === 'done' && url !== undefined ? [{ name, type, size, url }] : [];
    });
    writeJson(openStore('sessionStorage'), keyOf(this.later), { token: this.token, files } satisfies Memory);
  }

  shown(): string[] {
    const done = this.items.filter(({ state }) => state === 'done');
    return done.map(({ key }) => idOf(this.places.get(key) ?? ''));
  }

  async lookAfter(): Promise<void> {
    const done = this.items.filter(({ state }) => state === 'done');
    await Promise.all(
      done.map(async ({ key }) => {
        if (await isGone(this.places.get(key) ?? '', this.token)) {
          this.places.delete(key);
          this.update(key, { state: 'gone', error: GONE });
        }
      }),
    );
    this.remember();
  }

  /** Sends a file anew that is gone and that the browser still has. */
  again(key: number): void {
    const file = this.items.find((item) => item.key === key)?.file;
    this.remove(key);
    if (file !== undefined) {
      void this.add(file);
    }
  }

  /** Why a file cannot be attached; empty where it can. */
  refusal(file: File): string {
    const { maxMb, perReport } = this.limits;
    if (this.items.filter(({ state }) => state !== 'failed' && state !== 'gone').length >= perReport) {
      return `Si possono allegare al massimo ${perReport} file.`;
    }
    if (file.size > maxMb * 1024 * 1024) {
      return `Il file è troppo grande: al massimo ${maxMb} MB. Dividilo o riducilo.`;
    }
    return file.size === 0 ? 'Il file è vuoto: controllalo e allegalo di nuovo.' : '';
  }

  async add(file: File): Promise<void> {
    const error = this.refusal(file);
    const { name, type, size } = file;
    const key = this.enter({ name: name || 'allegato', type, size, file });
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
      chunkSize: PIECE,
      retryDelays: RETRIES,
      storeFingerprintForResuming: false,
      onProgress: (sent) => this.update(key, { sent, state: 'sending', error: '' }),
      onShouldRetry: (error) => isBroken(error.originalResponse?.getStatus() ?? 0, this.places.has(key)),
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
        const { detail, challenge } = problemIn(response?.getBody() ?? '');
        if (challenge) {
          void this.sendWithProof(key, upload, challenge);
          return;
        }
        const passing = mayPass(response?.getStatus() ?? 0, this.places.has(key));
        if (passing) {
          setTimeout(() => this.resumeOne(key), AGAIN);
        } else {
          // The server has dropped a file that it refuses.
          this.places.delete(key);
        }
        this.update(key, {
          state: passing ? 'paused' : 'failed',
          error: detail || (passing ? UNREACHABLE : FAILED),
        });
      },
    });
    this.uploads.set(key, upload);
    upload.start();
  }

  /** Sends a file again with the proof that the server asks for; one that it did not take is looked for anew. */
  private async sendWithProof(key: number, upload: Upload, asked: Challenge): Promise<void> {
    const refused = upload.options.headers?.['X-Proof'];
    try {
      if (this.proof !== undefined && (await this.proof) === refused) {
        this.proof = undefined;
      }
      this.proof ??= prove(asked);
      upload.options.headers = { ...upload.options.headers, 'X-Proof': await this.proof };
    } catch {
      this.proof = undefined;
      this.update(key, { state: 'paused', error: UNREACHABLE });
      setTimeout(() => this.resumeOne(key), AGAIN);
      return;
    }
    if (!this.over.aborted && this.items.some((item) => item.key === key && item.state === 'sending')) {
      upload.start();
    }
  }

  private pause(): void {
    for (const item of this.items.filter(({ state }) => state === 'sending')) {
      void this.uploads.get(item.key)?.abort();
      this.update(item.key, { state: 'paused', error: UNREACHABLE });
    }
  }

  goOn(): void {
    for (const { key } of this.items) {
      this.resumeOne(key);
    }
  }

  private resumeOne(key: number): void {
    if (!this.over.aborted && this.items.some((item) => item.key === key && item.state === 'paused')) {
      this.update(key, { state: 'sending', error: '' });
      this.uploads.get(key)?.start();
    }
  }

  /** Takes a file back, here and on the server; there it would be gone after a day anyway. */
  remove(key: number): void {
    this.giveUp(key);
    this.set(this.items.filter((item) => item.key !== key));
    this.remember();
  }

  /** Uploads on their way are given up, here and on the server. */
  end(): void {
    this.ended.abort();
    for (const { key } of this.items.filter(isUnderWay)) {
      this.giveUp(key);
    }
  }

  private giveUp(key: number): void {
    void this.uploads.get(key)?.abort();
    const place = this.places.get(key);
    if (place !== undefined) {
      takeBack(place, this.token);
    }
  }
}
