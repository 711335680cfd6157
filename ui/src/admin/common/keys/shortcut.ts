/** How a key is spelled, and which belong to a field. Must never take a key that is typed into one (WCAG 2.1.4). */

export const EVERYWHERE = 'In ogni pagina';

export interface Shortcut {
  /** `j`, `Ctrl+Enter`, or two keys one after the other: `g s`. */
  keys: string;
  label: string;
  group: string;
  /** Absent for a key that the browser handles itself and the sheet only explains. */
  run?: () => void;
  /** In place of `run`: what is asked for next, such as a person. */
  choices?: () => readonly Choice[];
  /** Also while the focus is in a field; only for keys with Ctrl. */
  inFields?: boolean;
  repeats?: boolean;
  /** The target of the action is not there yet: the key waits. */
  coming?: boolean;
}

/** One of the things that the palette offers; a thing that is found has its kind as its group. */
export type Choice = Pick<Shortcut, 'label'> &
  Partial<Pick<Shortcut, 'keys' | 'group' | 'run' | 'choices'>> & {
    /** Words of the thing itself, by which it is told from others of that name. */
    detail?: string;
  };

const NOT_TYPED_INTO = new Set(['button', 'checkbox', 'radio', 'reset', 'submit', 'file', 'image']);

export function isField(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) {
    return false;
  }
  const field = target.closest('input, textarea, select, [contenteditable]:not([contenteditable="false"])');
  return field !== null && !(field instanceof HTMLInputElement && NOT_TYPED_INTO.has(field.type));
}

/** What Enter presses. */
const PRESSED = 'a, button, summary, input, textarea, select, [role], [contenteditable]';

const pressesNothing = ({ target }: KeyboardEvent) => target instanceof Element && !target.closest(PRESSED);

/** A sign that a keyboard may have behind Alt or AltGr, as the Italian one has `[`. */
const isSign = ({ key, altKey }: KeyboardEvent) => altKey && /^[^\p{L}\p{N}\s]$/u.test(key);

/** The key as shortcuts spell it; null for no command. Letters with Shift or Alt belong to assistive technology, and the
 *  space bar presses what has the focus. */
export function keyOf(event: KeyboardEvent): string | null {
  if (isSign(event) && !event.isComposing) {
    return event.key;
  }
  if (event.isComposing || event.altKey || event.key === ' ') {
    return null;
  }
  if (event.ctrlKey || event.metaKey) {
    const key = event.key === 'Enter' ? event.key : event.key.toLowerCase();
    return /^(Enter|k)$/.test(key) && !event.shiftKey ? `Ctrl+${key}` : null;
  }
  if (event.shiftKey && /^Arrow(Up|Down)$/.test(event.key)) {
    return `Shift+${event.key}`;
  }
  if (event.key === 'Enter' && !event.shiftKey && pressesNothing(event)) {
    return event.key;
  }
  if ([...event.key].length !== 1) {
    return null;
  }
  const letter = event.key.toLowerCase() !== event.key.toUpperCase();
  return letter && event.shiftKey ? null : event.key.toLowerCase();
}
