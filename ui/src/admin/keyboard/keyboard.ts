/** Listens to the keys of the panel and runs commands. Must do nothing while a dialog is open. */
import { openStore, readJson, writeJson } from '../../shared/lib/storage';
import { isField, keyOf, type Meaning, meaningOf, type Shortcut } from './registry';

/** Milliseconds in which the second key of two has to follow. */
export const SEQUENCE_MS = 2000;
/** Milliseconds a notice stays. */
export const NOTICE_MS = 4000;

/** What is remembered of a reader who wants no shortcuts. */
const OFF = 'off';

export interface KeyboardState {
  /** Commands of a single key are on; those with Ctrl always are. */
  enabled: boolean;
  /** First key of two, and what may follow. */
  waiting: { key: string; options: readonly Shortcut[] } | null;
  /** Something to tell about the last key. */
  notice: string | null;
}

export class Keyboard {
  readonly #storageKey: string;
  readonly #sources = new Set<() => readonly Shortcut[]>();
  readonly #listeners = new Set<() => void>();
  #state: KeyboardState;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `storageKey` is where this browser remembers that they are off. */
  constructor(storageKey: string) {
    this.#storageKey = storageKey;
    const off = readJson(openStore('localStorage'), storageKey) === OFF;
    this.#state = { enabled: !off, waiting: null, notice: null };
  }

  get state(): KeyboardState {
    return this.#state;
  }

  get shortcuts(): readonly Shortcut[] {
    return [...this.#sources].flatMap((source) => source());
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Adds commands, which are asked for with each key; call the result to take them away. */
  register(commands: () => readonly Shortcut[]): () => void {
    const source = () => commands();
    this.#sources.add(source);
    return () => this.#sources.delete(source);
  }

  /** Turns commands of a single key on or off, and remembers it where the browser lets us. */
  enable(enabled: boolean): void {
    this.#set({ enabled, waiting: null, notice: null });
    const store = openStore('localStorage');
    if (enabled) {
      store?.removeItem(this.#storageKey);
    } else if (!writeJson(store, this.#storageKey, OFF)) {
      this.say(
        'La scelta vale solo fino alla chiusura di questa pagina: il browser non permette di conservarla.',
      );
    }
  }

  /** Tells the reader something about a key. */
  say(notice: string): void {
    this.#set({ waiting: null, notice });
    this.#later(NOTICE_MS);
  }

  readonly onKeyDown = (event: KeyboardEvent): void => {
    const key = keyOf(event);
    if (key === null || event.defaultPrevented || document.querySelector('dialog[open]')) {
      return;
    }
    const withCtrl = key.startsWith('Ctrl+');
    const field = isField(event.target);
    if (!withCtrl && (field || !this.#state.enabled)) {
      return;
    }
    const usable = this.shortcuts.filter((shortcut) => !field || shortcut.inFields);
    const meaning = meaningOf(usable, this.#state.waiting?.key ?? '', key);
    if (meaning.kind !== 'nothing') {
      event.preventDefault();
    }
    if (!event.repeat || (meaning.kind === 'run' && meaning.shortcut.repeats)) {
      this.#follow(meaning, key);
    }
  };

  #follow(meaning: Meaning, key: string): void {
    this.#set({ waiting: null, notice: null });
    switch (meaning.kind) {
      case 'run':
        // Drawn at once: a second key of the same frame is meant for what comes of this one.
        meaning.shortcut.run?.();
        break;
      case 'wait':
        this.#set({ waiting: { key, options: meaning.options } });
        this.#later(SEQUENCE_MS);
        break;
      case 'clash':
        this.say(
          `Il tasto ${meaning.keys} ha più significati (${meaning.labels.join('; ')}): non è successo nulla.`,
        );
        break;
      case 'nothing':
        break;
    }
  }

  #later(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#set({ waiting: null, notice: null }), milliseconds);
  }

  #set(change: Partial<KeyboardState>): void {
    const next = { ...this.#state, ...change };
    const { enabled, waiting, notice } = this.#state;
    if (next.enabled === enabled && next.waiting === waiting && next.notice === notice) {
      return;
    }
    this.#state = next;
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
