/** Browser storage that may be missing, full or forbidden. Must never throw: the chat has to go on without it. */

export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'clear' | 'key' | 'length'>;

/** The store of that name, or `undefined` where the browser forbids it. */
export function openStore(kind: 'sessionStorage' | 'localStorage'): Store | undefined {
  try {
    return window[kind];
  } catch {
    return undefined;
  }
}

export function writeJson(store: Store | undefined, key: string, value: unknown): boolean {
  try {
    store?.setItem(key, JSON.stringify(value));
    return store !== undefined;
  } catch {
    return false;
  }
}

/** Reads a JSON value; `undefined` when there is none or it cannot be read. The caller checks its shape. */
export function readJson(store: Store | undefined, key: string): unknown {
  try {
    return JSON.parse(store?.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
