/**
 * Changes typed over saved settings that others may save meanwhile. Must never send a field that nobody touched here, nor
 * drop one that somebody did.
 */

/** `null` is a secret that nobody touched: the server never tells it. */
export type FieldValue = string | boolean | null;
export type Fields = Readonly<Record<string, FieldValue>>;

export interface Edits<V extends Fields> {
  /** What the server holds, as far as this page knows. */
  base: V;
  /** The fields touched here. */
  typed: Partial<V>;
}

export type EditsAction<V extends Fields> =
  | { type: 'server'; saved: V }
  | { type: 'typed'; changes: Partial<V> }
  | { type: 'saved'; saved: V; sent: Partial<V> }
  | { type: 'discard' };

export function startEdits<V extends Fields>(base: V, typed: Partial<V> = {}): Edits<V> {
  return { base, typed };
}

/** What the form shows. */
export function valuesOf<V extends Fields>({ base, typed }: Edits<V>): V {
  return { ...base, ...typed };
}

function without<V extends Fields>(typed: Partial<V>, gone: (key: keyof V) => boolean): Partial<V> {
  const left = Object.entries(typed).filter(([key]) => !gone(key));
  return Object.fromEntries(left) as Partial<V>;
}

/** Only what differs from what is saved: this is what a save sends. */
export function changesOf<V extends Fields>({ base, typed }: Edits<V>): Partial<V> {
  return without<V>(typed, (key) => typed[key] === base[key]);
}

export function isDirty<V extends Fields>(edits: Edits<V>): boolean {
  return Object.keys(changesOf(edits)).length > 0;
}

export function reduceEdits<V extends Fields>(edits: Edits<V>, action: EditsAction<V>): Edits<V> {
  switch (action.type) {
    case 'server': {
      const { saved } = action;
      return { base: saved, typed: without(edits.typed, (key) => edits.typed[key] === saved[key]) };
    }
    case 'typed':
      return { ...edits, typed: { ...edits.typed, ...action.changes } };
    case 'saved': {
      // What was typed while the save was under way is still to be saved.
      const { saved, sent } = action;
      return { base: saved, typed: without(edits.typed, (key) => edits.typed[key] === sent[key]) };
    }
    case 'discard':
      return startEdits(edits.base);
  }
}
