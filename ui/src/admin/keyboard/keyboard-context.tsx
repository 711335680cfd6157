import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { slugOf } from '../../shared/lib/slug';
import { useBranding } from '../common/branding';
import { EVERYWHERE, Keyboard, type Shortcut } from './keyboard';

/** A shortcut without its heading. */
export type Command = Omit<Shortcut, 'group'>;

import { KeyHint, ShortcutSheet } from './shortcut-sheet';

interface KeyboardAccess {
  keyboard: Keyboard;
  openSheet: () => void;
}

const KeyboardContext = createContext<KeyboardAccess | null>(null);

/** Gives the pages below it their keys, and the reader the sheet that explains them. */
export function KeyboardProvider({ children }: { children: ReactNode }) {
  const { productName } = useBranding();
  const [keyboard] = useState(() => new Keyboard(`${slugOf(productName)}_shortcuts`));
  const [sheet, setSheet] = useState(false);
  const [access] = useState<KeyboardAccess>(() => ({ keyboard, openSheet: () => setSheet(true) }));

  useEffect(() => {
    document.addEventListener('keydown', keyboard.onKeyDown);
    return () => document.removeEventListener('keydown', keyboard.onKeyDown);
  }, [keyboard]);
  useEffect(
    () =>
      keyboard.register(() => [
        {
          keys: '?',
          label: 'Mostra le scorciatoie da tastiera',
          group: EVERYWHERE,
          run: () => setSheet(true),
        },
      ]),
    [keyboard],
  );

  const state = useSyncExternalStore(keyboard.subscribe, () => keyboard.state);
  return (
    <KeyboardContext value={access}>
      {children}
      <KeyHint state={state} />
      <ShortcutSheet open={sheet} keyboard={keyboard} onClose={() => setSheet(false)} />
    </KeyboardContext>
  );
}

function useAccess(): KeyboardAccess {
  const access = useContext(KeyboardContext);
  if (!access) {
    throw new Error('shortcuts need a KeyboardProvider above them');
  }
  return access;
}

/** For telling the reader something about a key. */
export function useKeyboard(): Keyboard {
  return useAccess().keyboard;
}

export function useOpenSheet(): () => void {
  return useAccess().openSheet;
}

/** Commands of the screen that calls it, while it is on; `group` is their heading in the sheet. */
export function useShortcuts(group: string, commands: readonly Command[]): void {
  const keyboard = useKeyboard();
  const present = useRef(commands);
  // Before anything else can happen to the page: a command always acts on what is shown.
  useLayoutEffect(() => {
    present.current = commands;
  }, [commands]);
  useLayoutEffect(
    () => keyboard.register(() => present.current.map((command) => ({ ...command, group }))),
    [keyboard, group],
  );
}
