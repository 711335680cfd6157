/**
 * The one place that knows which keys do what. Must never act where two commands could be meant, nor on keys that are
 * being typed into a field (WCAG 2.1.4).
 */

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

export type Meaning =
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
