/** The session, shared by all tabs. Must never decide that it is still good: the server does (PRODUCT.md §7). */
import { now } from '../../../shared/lib/clock';
import { isProblem } from '../errors';

/** How long before the end the reader is asked, in milliseconds (WCAG 2.2.1 wants at least 20 s to answer). */
const WARNING_MS = 60_000;
/** Shortest and longest pause between two extensions caused by activity, in milliseconds. */
const MIN_THROTTLE_MS = 5_000;
const MAX_THROTTLE_MS = 60_000;
/** Two ends closer than this are the same end: answers take time to travel, and the clocks agree to some seconds. */
const SAME_END_MS = 5_000;
/** Pause between two questions under the warning, in milliseconds: another tab or a save may have moved the end. */
const RECHECK_MS = 5_000;

/**
 * `expired`: no activity; `revoked`: the server ended it for another reason; `logout`: Esci was pressed;
 * `forgotten`: this browser has not kept the cookie of a session that had just begun.
 */
export type EndReason = 'expired' | 'revoked' | 'logout' | 'forgotten';

export interface EndWarning {
  /** Instant of the end, in milliseconds of the server's clock. */
  endsAt: number;
  /** False when the session has reached its longest life: then activity cannot extend it. */
  extendable: boolean;
}

export interface Who {
  id: string;
  user: string;
  name: string;
  role: 'amministratore' | 'redattore' | 'lettore';
  /** Those of which they see reports; empty: all. */
  departments: readonly string[];
  /** `required`: nothing else is open before it was set up. */
  secondFactor: 'off' | 'on' | 'required';
}

export type SessionState =
  | { status: 'unknown' }
  | { status: 'failed'; error: unknown }
  | { status: 'none'; ended: EndReason | null }
  | { status: 'active'; warning: EndWarning | null; who: Who | null; locked: boolean };

interface Lifetime {
  endsAt: number;
  idleMs: number;
  /** Null for the shared password. */
  who: Who | null;
  /** The archive is sealed, and nobody has opened it: it takes this person's password. */
  locked: boolean;
}

export type TabMessage = 'begun' | EndReason;

interface SessionLinks {
  /** Asks the server; a background question does not extend the session. Rejects with 401 when there is none. */
  read: (background: boolean) => Promise<Lifetime>;
  end: () => Promise<void>;
  tell: (message: TabMessage) => void;
}

type Timer = ReturnType<typeof setTimeout>;

export class SessionStore {
  #links: SessionLinks;
  #state: SessionState = { status: 'unknown' };
  #listeners = new Set<() => void>();
  #lifetime: Lifetime = { endsAt: 0, idleMs: 0, who: null, locked: false };
  /** An extension has met the end that activity cannot move. */
  #hard = false;
  #extendedAt = 0;
  #clock: Timer | undefined;
  #pending: Timer | undefined;
  /** Grows when a session begins or ends: an answer that was asked before belongs to another session. */
  #epoch = 0;

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
    return this.subscribe(() => {
      if (this.#state.status === 'none' && this.#state.ended) {
        listener(this.#state.ended);
      }
    });
  }

  /** Asks whether there is a session; opening the panel is activity. */
  async check(): Promise<void> {
    this.#set({ status: 'unknown' });
    try {
      await this.#ask(false);
    } catch (error) {
      this.#set({ status: 'failed', error });
    }
  }

  async begin(): Promise<void> {
    this.#epoch += 1;
    await this.check();
    if (this.#state.status === 'none') {
      this.#set({ status: 'none', ended: 'forgotten' });
      return;
    }
    this.#links.tell('begun');
  }

  /** Mouse, keyboard, scroll, touch or click. Cheap: most calls do nothing. */
  activity(): void {
    // Under the warning only a deliberate answer counts, else moving the mouse to read it would close it.
    if (this.#state.status !== 'active' || this.#state.warning || this.#pending) {
      return;
    }
    const pause = Math.min(MAX_THROTTLE_MS, Math.max(MIN_THROTTLE_MS, this.#lifetime.idleMs / 20));
    this.#pending = setTimeout(
      () => {
        this.#pending = undefined;
        // Unheard, the clock goes on and the warning comes.
        this.stay().catch(() => undefined);
      },
      Math.max(0, this.#extendedAt + pause - now()),
    );
  }

  /** 'Resta collegato'. Rejects when the server could not be reached. */
  stay(): Promise<void> {
    return this.#ask(false);
  }

  /** What this session may do has changed: read again, here and in the other tabs. */
  async renew(): Promise<void> {
    await this.stay();
    this.#links.tell('begun');
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

  /** A call was refused to this session: it may have ended, been replaced, or be allowed less than before. Asks once. */
  async doubt(): Promise<void> {
    try {
      await this.#ask(true);
    } catch {
      this.lost();
    }
  }

  lost(): void {
    if (this.#state.status === 'active') {
      const over = now() >= this.#lifetime.endsAt - SAME_END_MS;
      this.#finish(over ? 'expired' : 'revoked');
    } else if (this.#state.status !== 'none') {
      this.#set({ status: 'none', ended: null });
    }
  }

  /** The tab is looked at again, perhaps after the machine has slept. */
  wake(): void {
    if (this.#state.status === 'active' && now() >= this.#warnAt()) {
      void this.#verify();
    }
  }

  hear(message: TabMessage): void {
    if (message === 'begun') {
      // Under an open session, another person's cookie may be in its place now.
      void (this.#state.status === 'none' ? this.check() : this.doubt());
    } else if (this.#state.status === 'active') {
      this.#finish(message, true);
    }
  }

  #set(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) {
      listener();
    }
  }

  #warnAt(): number {
    return this.#lifetime.endsAt - Math.min(WARNING_MS, this.#lifetime.idleMs / 2);
  }

  async #ask(background: boolean): Promise<void> {
    const asked = Date.now();
    const epoch = this.#epoch;
    if (!background) {
      this.#extendedAt = now();
    }
    try {
      const lifetime = await this.#links.read(background);
      if (epoch === this.#epoch) {
        // The first answer is what sets the clock.
        const heard = now() - (Date.now() - asked);
        this.#hard ||= !background && lifetime.endsAt < heard + lifetime.idleMs - SAME_END_MS;
        this.#adopt(lifetime);
      }
    } catch (error) {
      if (!isProblem(error, 'non-autenticato')) {
        throw error;
      }
      if (epoch === this.#epoch) {
        this.lost();
      }
    }
  }

  #adopt(lifetime: Lifetime): void {
    this.#lifetime = lifetime;
    clearTimeout(this.#clock);
    const { endsAt, who, locked } = lifetime;
    const present = now();
    const early = present < this.#warnAt();
    this.#set({ status: 'active', warning: early ? null : { endsAt, extendable: !this.#hard }, who, locked });
    const wait = early
      ? this.#warnAt() - present
      : present < endsAt
        ? Math.min(RECHECK_MS, endsAt - present)
        : RECHECK_MS;
    this.#clock = setTimeout(() => void this.#verify(), wait);
  }

  /** The clock says the end is near or there: asks without extending. */
  async #verify(): Promise<void> {
    try {
      await this.#ask(true);
    } catch {
      if (now() >= this.#lifetime.endsAt) {
        // No answer and the time is over: nothing of the reports may stay on an unwatched screen.
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
    this.#hard = false;
    this.#epoch += 1;
    this.#set({ status: 'none', ended: reason });
    if (!heard) {
      this.#links.tell(reason);
    }
  }
}
