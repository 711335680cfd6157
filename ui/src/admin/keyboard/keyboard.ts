/**
 * Knows which keys do what, and runs commands. Must never act where two commands could be meant, while a dialog is open,
 * nor on keys that are being typed into a field (WCAG 2.1.4).
 */
import { openStore, readJson, writeJson } from '../../shared/lib/storage';

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

/** Group of the commands that work on every screen. */
export const EVERYWHERE = 'In ogni pagina';

export interface Shortcut {
  /** `j`, `Ctrl+Enter`, or two keys one after the other: `g s`. */
  keys: string;
  /** What it does, for the sheet. */
  label: string;
  /** Heading it stands under in the sheet. */
  group: string;
  /** What to do; absent for a key that the browser handles itself and the sheet only explains. */
  run?: () => void;
  /** Also while the focus is in a field; only for keys with Ctrl. */
  inFields?: boolean;
  /** Holding the key down repeats it. */
  repeats?: boolean;
}

type Meaning =
  | { kind: 'nothing' }
  /** The first of two keys. */
  | { kind: 'wait'; options: readonly Shortcut[] }
  | { kind: 'run'; shortcut: Shortcut }
  /** More than one command is meant. */
  | { kind: 'clash'; keys: string; labels: readonly string[] };

/** What a key means after the keys before it. */
export function meaningOf(shortcuts: Iterable<Shortcut>, before: string, key: string): Meaning {
  const keys = before ? `${before} ${key}` : key;
  const known = [...shortcuts].filter((shortcut) => shortcut.run);
  const exact = known.filter((shortcut) => shortcut.keys === keys);
  const longer = known.filter((shortcut) => shortcut.keys.startsWith(`${keys} `));
  const [only] = exact;
  if (exact.length > 1 || (only && longer.length > 0)) {
    return { kind: 'clash', keys, labels: [...exact, ...longer].map((shortcut) => shortcut.label) };
  }
  if (only) {
    return { kind: 'run', shortcut: only };
  }
  return longer.length > 0 ? { kind: 'wait', options: longer } : { kind: 'nothing' };
}

const NOT_TYPED_INTO = new Set(['button', 'checkbox', 'radio', 'reset', 'submit', 'file', 'image']);

/** Whether keys typed there belong to the element. */
export function isField(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) {
    return false;
  }
  const field = target.closest('input, textarea, select, [contenteditable]:not([contenteditable="false"])');
  return field !== null && !(field instanceof HTMLInputElement && NOT_TYPED_INTO.has(field.type));
}

/**
 * The key as the registry spells it; null for one that is no command. Letters with Shift or Alt are left to the browser
 * and to assistive technology; a sign counts as it is typed, whatever the keyboard needs for it.
 */
export function keyOf(event: KeyboardEvent): string | null {
  if (event.isComposing || event.altKey) {
    return null;
  }
  if (event.ctrlKey || event.metaKey) {
    return event.key === 'Enter' && !event.shiftKey ? 'Ctrl+Enter' : null;
  }
  if ([...event.key].length !== 1) {
    return null;
  }
  const letter = event.key.toLowerCase() !== event.key.toUpperCase();
  return letter && event.shiftKey ? null : event.key.toLowerCase();
}
