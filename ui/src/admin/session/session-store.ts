/**
 * Who is logged in, until when, and how it ends; shared by all tabs. Must never decide by itself that a session is still
 * good: the server does, this only watches the clock between two answers (PRODUCT.md §6).
 */
import { isProblem } from '../common/errors';

/** How long before the end the reader is asked, in milliseconds (WCAG 2.2.1 wants at least 20 s to answer). */
const WARNING_MS = 60_000;
/** Shortest and longest pause between two extensions caused by activity, in milliseconds. */
const MIN_THROTTLE_MS = 5_000;
const MAX_THROTTLE_MS = 60_000;
/** Two ends closer than this are the same end: answers take time to travel. */
const SAME_END_MS = 2_000;
/** When the server keeps a session that this clock believes over, ask again after this long. */
const RECHECK_MS = 5_000;

/** `expired`: nobody was active; `revoked`: the server ended it for another reason; `logout`: somebody pressed Esci. */
export type EndReason = 'expired' | 'revoked' | 'logout';

export interface Warning {
  /** Instant of the end, in milliseconds of this machine's clock. */
  endsAt: number;
  /** False when the session has reached its longest life: then activity cannot extend it. */
  extendable: boolean;
}

export type SessionState =
  | { status: 'unknown' }
  | { status: 'failed'; error: unknown }
  | { status: 'none'; ended: EndReason | null }
  | { status: 'active'; warning: Warning | null };

/** What the server said about the session. */
interface Lifetime {
  endsAt: number;
  idleMs: number;
}

export type TabMessage =
  | { kind: 'begun' }
  | { kind: 'alive'; lifetime: Lifetime }
  | { kind: 'ended'; reason: EndReason };

interface SessionLinks {
  /** Asks the server; a background question does not extend the session. Rejects with 401 when there is none. */
  read: (background: boolean) => Promise<Lifetime>;
  /** Ends the session on the server. */
  end: () => Promise<void>;
  /** Tells the other tabs. */
  tell: (message: TabMessage) => void;
  /** Now, in milliseconds of this machine's clock. */
  now: () => number;
}

type Timer = ReturnType<typeof setTimeout>;

export class SessionStore {
  #links: SessionLinks;
  #state: SessionState = { status: 'unknown' };
  #listeners = new Set<() => void>();
  #endListeners = new Set<(reason: EndReason) => void>();
  #lifetime: Lifetime = { endsAt: 0, idleMs: 0 };
  /** The end that activity cannot move, once an extension has met it. */
  #hardEnd: number | null = null;
  #extendedAt = 0;
  #clock: Timer | undefined;
  #pending: Timer | undefined;
  /** Grows when a session begins or ends: an answer that was asked before belongs to another session. */
  #epoch = 0;
  #checking: Promise<void> | null = null;

  constructor(links: SessionLinks) {
    this.#links = links;
  }

  get state(): SessionState {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Called whenever a session ends, before anything is drawn: the place to forget what was read. */
  onEnd(listener: (reason: EndReason) => void): () => void {
    this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

  /** Asks whether somebody is logged in; opening the panel is activity. */
  check(): Promise<void> {
    this.#checking ??= this.#ask().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  /** Somebody has just logged in here. */
  async begin(): Promise<void> {
    this.#epoch += 1;
    this.#set({ status: 'unknown' });
    await this.#ask();
    this.#links.tell({ kind: 'begun' });
  }

  /** Mouse, keyboard, scroll, touch or click. Cheap: most calls do nothing. */
  activity(): void {
    // Under the warning only a deliberate answer counts, else moving the mouse to read it would close it.
    if (this.#state.status !== 'active' || this.#state.warning || this.#pending) {
      return;
    }
    const wait = this.#extendedAt + this.#throttle() - this.#links.now();
    if (wait <= 0) {
      void this.#extend();
      return;
    }
    this.#pending = setTimeout(() => {
      this.#pending = undefined;
      void this.#extend();
    }, wait);
  }

  /** 'Resta collegato'; false when the server could not be reached. */
  async stay(): Promise<boolean> {
    return (await this.#extend()) === null;
  }

  /** 'Esci'. Rejects when the server did not hear it: the session is then still open, and saying otherwise would lie. */
  async logout(): Promise<void> {
    try {
      await this.#links.end();
    } catch (error) {
      if (!isProblem(error, 'non-autenticato')) {
        throw error;
      }
    }
    this.#finish('logout');
  }

  /** Some call was answered 401. */
  lost(): void {
    if (this.#state.status === 'active') {
      const over = this.#links.now() >= this.#lifetime.endsAt - SAME_END_MS;
      this.#finish(over ? 'expired' : 'revoked');
    } else if (this.#state.status !== 'none') {
      this.#set({ status: 'none', ended: null });
    }
  }

  /** The tab is looked at again, perhaps after the machine has slept. */
  wake(): void {
    if (this.#state.status === 'active' && this.#links.now() >= this.#warnAt()) {
      void this.#verify();
    }
  }

  /** Another tab spoke. */
  hear(message: TabMessage): void {
    if (message.kind === 'begun') {
      if (this.#state.status === 'none') {
        void this.check();
      }
    } else if (message.kind === 'ended') {
      if (this.#state.status === 'active') {
        this.#finish(message.reason, true);
      }
    } else if (this.#state.status === 'active') {
      this.#adopt(message.lifetime);
    }
  }

  #set(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) {
      listener();
    }
  }

  #throttle(): number {
    return Math.min(MAX_THROTTLE_MS, Math.max(MIN_THROTTLE_MS, this.#lifetime.idleMs / 20));
  }

  #warnAt(): number {
    return this.#lifetime.endsAt - Math.min(WARNING_MS, this.#lifetime.idleMs / 2);
  }

  async #ask(): Promise<void> {
    if (this.#state.status === 'failed') {
      this.#set({ status: 'unknown' });
    }
    const failure = await this.#extend();
    if (failure && this.#state.status !== 'active') {
      this.#set({ status: 'failed', error: failure.error });
    }
  }

  /** Extends the session. Gives null when the server answered, whatever it said, and the failure when it did not. */
  async #extend(): Promise<{ error: unknown } | null> {
    const asked = this.#links.now();
    const epoch = this.#epoch;
    this.#extendedAt = asked;
    try {
      const lifetime = await this.#links.read(false);
      if (epoch === this.#epoch) {
        const full = asked + lifetime.idleMs - SAME_END_MS;
        this.#hardEnd = lifetime.endsAt < full ? lifetime.endsAt : null;
        this.#adopt(lifetime);
        this.#links.tell({ kind: 'alive', lifetime });
      }
      return null;
    } catch (error) {
      if (!isProblem(error, 'non-autenticato')) {
        return { error };
      }
      if (epoch === this.#epoch) {
        this.lost();
      }
      return null;
    }
  }

  /** Takes over a new end and waits for it; shows or hides the warning as the new end demands. */
  #adopt(lifetime: Lifetime): void {
    this.#lifetime = lifetime;
    clearTimeout(this.#clock);
    const now = this.#links.now();
    if (now < this.#warnAt()) {
      this.#set({ status: 'active', warning: null });
      this.#clock = setTimeout(() => void this.#verify(), this.#warnAt() - now);
      return;
    }
    const hard = this.#hardEnd !== null && Math.abs(this.#hardEnd - lifetime.endsAt) < SAME_END_MS;
    this.#set({ status: 'active', warning: { endsAt: lifetime.endsAt, extendable: !hard } });
    const wait = lifetime.endsAt - now;
    this.#clock = setTimeout(() => void this.#verify(), wait > 0 ? wait : RECHECK_MS);
  }

  /** The clock says the end is near or there: another tab or a save may have moved it, so ask without extending. */
  async #verify(): Promise<void> {
    clearTimeout(this.#clock);
    try {
      const lifetime = await this.#links.read(true);
      if (this.#state.status === 'active') {
        this.#adopt(lifetime);
      }
    } catch (error) {
      if (isProblem(error, 'non-autenticato')) {
        this.lost();
      } else if (this.#links.now() >= this.#lifetime.endsAt) {
        // Nobody answers and the time is over: nothing of the reports may stay on an unwatched screen.
        this.lost();
      } else if (this.#state.status === 'active') {
        this.#adopt(this.#lifetime);
      }
    }
  }

  #finish(reason: EndReason, heard = false): void {
    clearTimeout(this.#clock);
    clearTimeout(this.#pending);
    this.#pending = undefined;
    this.#hardEnd = null;
    this.#epoch += 1;
    for (const listener of this.#endListeners) {
      listener(reason);
    }
    this.#set({ status: 'none', ended: reason });
    if (!heard) {
      this.#links.tell({ kind: 'ended', reason });
    }
  }
}
