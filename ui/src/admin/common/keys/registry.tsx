/**
 * Takes the keys pressed in the panel, in their order, from the first script on; those whose page is still coming wait for
 * it. Must never run a key on another page than the one it was pressed for.
 */
import { createContext, useEffect } from 'react';
import { flushSync } from 'react-dom';
import { type createBrowserRouter, Outlet, useLocation } from 'react-router-dom';
import { useNeeded } from '../use-needed';
import { isField, keyOf } from './shortcut';

type Router = Pick<ReturnType<typeof createBrowserRouter>, 'state' | 'subscribe'>;

export interface KeyRegistry {
  /** Has the commands of keys run by this; it says false where a key has none. Gives what ends it. */
  runBy: (run: (event: KeyboardEvent) => boolean) => () => void;
  /** A part of the page is coming: keys without a command wait for it, and the keys behind them. Gives what ends it. */
  coming: () => () => void;
  /** Another page or a dialog is coming: every key waits for it. Gives what ends it. */
  hold: () => () => void;
  /** The page at this place of the history is drawn, and the focus is where the page puts it. */
  shown: (place: string) => void;
}

const RegistryContext = createContext<KeyRegistry | null>(null);
export const KeyRegistryProvider = RegistryContext.Provider;
export const useKeyRegistry = () => useNeeded(RegistryContext, 'a key');

const typesText = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  [...key].length === 1 && !ctrlKey && !metaKey && !altKey;

const dialogOpen = () => document.querySelector('dialog[open]') !== null;

/** Writes where the focus is what was typed before the field was there. */
function write(field: Element, text: string): void {
  const typed = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
  if (typed && field.selectionStart !== null) {
    field.setRangeText(text, field.selectionStart, field.selectionEnd ?? field.selectionStart, 'end');
    field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: text }));
  }
}

/** The parts of a page that are on their way; `onEnd` is called whenever one of them has come. */
function underWay(onEnd: () => void) {
  const all = new Set<symbol>();
  const begin = () => {
    const one = Symbol();
    all.add(one);
    return () => {
      all.delete(one);
      onEnd();
    };
  };
  return { begin, any: () => all.size > 0 };
}

/** Listens until `gone`; without it, for as long as the document is there. */
export function openKeys(router: Router, gone?: AbortSignal): KeyRegistry {
  const kept: KeyboardEvent[] = [];
  let run: ((event: KeyboardEvent) => boolean) | null = null;
  let place: string | null = null;

  /** Whether the key is done with; false: what it acts on is still coming. */
  const play = (event: KeyboardEvent): boolean => {
    const focused = document.activeElement;
    if (focused && isField(focused) && typesText(event)) {
      write(focused, event.key);
      return true;
    }
    return dialogOpen() || run?.(event) === true || !parts.any();
  };
  // Behind the present task: what has just been drawn is then complete.
  const goOn = () =>
    queueMicrotask(() => {
      while (kept[0] && !changing() && flushSync(() => kept[0] && play(kept[0]))) {
        kept.shift();
      }
    });
  const parts = underWay(goOn);
  const holds = underWay(goOn);
  const changing = () =>
    holds.any() || router.state.navigation.state !== 'idle' || router.state.location.key !== place;

  const onKeyDown = (event: KeyboardEvent) => {
    const key = keyOf(event);
    const behind = kept.length > 0 && typesText(event);
    const ours = isField(event.target) ? key?.startsWith('Ctrl+') : key !== null || behind;
    if (!ours || event.defaultPrevented || dialogOpen()) {
      return;
    }
    const done = kept.length === 0 && !changing() && (run?.(event) === true || !parts.any());
    if (!done) {
      event.preventDefault();
      if (!event.repeat) {
        kept.push(event);
      }
    }
  };
  const forget = (event: Event) => {
    if (!(event instanceof KeyboardEvent) || event.key === 'Tab' || event.key === 'Escape') {
      kept.length = 0;
    }
  };
  const until = gone ? { signal: gone } : {};
  document.addEventListener('keydown', onKeyDown, until);
  // Pointing elsewhere, walking there, or the way out overrules what was pressed before.
  document.addEventListener('keydown', forget, { ...until, capture: true });
  document.addEventListener('pointerdown', forget, { ...until, capture: true });
  router.subscribe(goOn);

  return {
    coming: parts.begin,
    hold: holds.begin,
    runBy: (by) => {
      run = by;
      goOn();
      return () => {
        run = null;
      };
    },
    shown: (now) => {
      place = now;
      goOn();
    },
  };
}

/** The pages of a router; says which of them is shown. */
export function Pages() {
  const keys = useKeyRegistry();
  const { key } = useLocation();
  // Behind the effects of the page itself, which may move the focus.
  useEffect(() => keys.shown(key), [keys, key]);
  return <Outlet />;
}

/** Keeps the keys that nothing on the page takes while a part of it is `coming`. */
export function useKeysAhead(coming: boolean): void {
  const keys = useKeyRegistry();
  useEffect(() => (coming ? keys.coming() : undefined), [coming, keys]);
}
