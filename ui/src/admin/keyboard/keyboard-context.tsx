/** Runs the commands of keys, and of the palette. Must never act while a dialog is open. */
import {
  type ComponentType,
  createContext,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { NetworkError } from '../../shared/api/errors';
import { slugOf } from '../../shared/lib/slug';
import { openStore, readJson, writeJson } from '../../shared/lib/storage';
import { useBranding } from '../common/branding';
import { faultOf } from '../common/errors';
import { useKeyRegistry, useKeysAhead } from '../common/keys/registry';
import { type Choice, EVERYWHERE, isField, keyOf, type Shortcut } from '../common/keys/shortcut';
import { useNeeded } from '../common/use-needed';
import type { PaletteProps } from './palette';
import { byPage, type Hint, KeyHint, ShortcutSheet } from './shortcut-sheet';

export type Command = Omit<Shortcut, 'group'>;

type Source = () => readonly Shortcut[];

interface Keyboard {
  sources: Set<Source>;
  say: (notice: string) => void;
  openSheet: () => void;
  /** Everything that can be done from here, and found. */
  openPalette: () => void;
  /** One of these, by typing a part of its name. */
  choose: (title: string, choices: readonly Choice[]) => void;
}

const KeyboardContext = createContext<Keyboard | null>(null);
export const useKeyboard = () => useNeeded(KeyboardContext, 'a shortcut');

/** Milliseconds a notice stays, and in which the second key of two has to follow. */
export const HINT_MS = 3000;

function useHint() {
  const [hint, setHint] = useState<Hint | null>(null);
  // Beside the state: the second key may come before the first one's hint is drawn.
  const present = useRef<Hint | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [show] = useState(() => (next: Hint | null) => {
    clearTimeout(timer.current);
    present.current = next;
    setHint(next);
    if (next) {
      timer.current = setTimeout(() => show(null), HINT_MS);
    }
  });
  return { hint, present, show };
}

type Asking = Omit<PaletteProps, 'onClose'>;

interface Asked extends Asking {
  Part: ComponentType<PaletteProps>;
  /** Lets the keys go on that were pressed meanwhile: they are typed into it. */
  opened: () => void;
}

/** The palette is a part of its own, loaded in advance: the keys after its own are already meant for it. */
function usePalette(say: (notice: string) => void) {
  const keys = useKeyRegistry();
  const [asking, setAsking] = useState<Asked | null>(null);
  const load = () => import('./palette');
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => void load().catch(() => undefined), []);
  const [ask] = useState(() => (what: Asking) => {
    const opened = keys.hold();
    load().then(
      (part) => setAsking({ ...what, Part: part.Palette, opened }),
      (error: unknown) => {
        opened();
        say(faultOf(new NetworkError(false, error)).text);
      },
    );
  });
  // It has the focus by then.
  useEffect(() => asking?.opened(), [asking]);
  return { asking, ask, close: () => setAsking(null) };
}

export function KeyboardProvider({ children }: { children: ReactNode }) {
  const keys = useKeyRegistry();
  const storageKey = `${slugOf(useBranding().productName)}_shortcuts`;
  const [enabled, setEnabled] = useState(() => readJson(openStore('localStorage'), storageKey) !== false);
  const [sheet, setSheet] = useState<readonly Shortcut[] | null>(null);
  const { hint, present, show } = useHint();
  const [say] = useState(() => (notice: string) => show({ notice }));
  const { asking, ask, close } = usePalette(say);
  const [keyboard] = useState<Keyboard>(() => {
    const sources = new Set<Source>();
    const all = () => [...sources].flatMap((source) => source());
    const openSheet = () => setSheet(all());
    const openPalette = () =>
      ask({
        title: 'Comandi',
        choices: byPage(all()).filter(
          ({ run, choices, repeats, coming }) =>
            (run || choices) && !repeats && !coming && run !== openPalette,
        ),
        everything: true,
      });
    sources.add(() => [
      { keys: 'Ctrl+k', label: 'Cerca e comanda', group: EVERYWHERE, inFields: true, run: openPalette },
      { keys: '?', label: 'Mostra le scorciatoie da tastiera', group: EVERYWHERE, run: openSheet },
    ]);
    const choose: Keyboard['choose'] = (title, choices) => ask({ title, choices });
    return { sources, openSheet, openPalette, say, choose };
  });

  // As soon as a command is there; a key that comes before waits.
  useLayoutEffect(
    () =>
      keys.runBy((event) => {
        const key = keyOf(event);
        const field = isField(event.target);
        if (key === null || (!enabled && !key.startsWith('Ctrl+'))) {
          return true;
        }
        const pressed = present.current?.first ? `${present.current.first} ${key}` : key;
        const usable = [...keyboard.sources]
          .flatMap((source) => source())
          .filter(
            ({ run, choices, coming, inFields }) => (run || choices) && !coming && (!field || inFields),
          );
        const found = usable.find((shortcut) => shortcut.keys === pressed);
        const options = usable.filter((shortcut) => shortcut.keys.startsWith(`${pressed} `));
        const taken = found !== undefined || options.length > 0;
        if (taken) {
          event.preventDefault();
        }
        if (!event.repeat || found?.repeats) {
          show(options.length > 0 ? { first: key, options } : null);
          if (found?.choices) {
            keyboard.choose(found.label, found.choices());
          }
          found?.run?.();
        }
        return taken;
      }),
    [enabled, keyboard, keys, present, show],
  );

  // The first key of two is taken back.
  useEffect(() => {
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key === 'Escape' && present.current?.first) {
        show(null);
      }
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [present, show]);

  const enable = (on: boolean) => {
    setEnabled(on);
    show(null);
    if (!writeJson(openStore('localStorage'), storageKey, on)) {
      keyboard.say(
        'La scelta vale solo fino alla chiusura di questa pagina: il browser non permette di conservarla.',
      );
    }
  };
  return (
    <KeyboardContext value={keyboard}>
      {children}
      <KeyHint hint={hint} />
      <ShortcutSheet shortcuts={sheet} enabled={enabled} onEnable={enable} onClose={() => setSheet(null)} />
      {asking ? <asking.Part {...asking} onClose={close} /> : null}
    </KeyboardContext>
  );
}

/** Commands of the screen that calls it, while it is on; their keys wait as long as what they act on is `coming`. `group` is
 *  their heading in the sheet. */
export function useShortcuts(group: string, commands: readonly Command[], coming = false): void {
  const { sources } = useKeyboard();
  useKeysAhead(coming);
  const present = useRef(commands);
  // Before anything else can happen to the page: a command always acts on what is shown.
  useLayoutEffect(() => {
    present.current = commands;
  }, [commands]);
  useLayoutEffect(() => {
    const source = () => present.current.map((command) => ({ ...command, group, coming }));
    sources.add(source);
    return () => void sources.delete(source);
  }, [sources, group, coming]);
}
