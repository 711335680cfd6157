/** What was just done, and how to take it back: the one feedback of the panel. Must never cover what one reads. */
import {
  createContext,
  type ReactNode,
  type RefCallback,
  useContext,
  useMemo,
  useRef,
  useState,
} from 'react';
import { createPortal, flushSync } from 'react-dom';
import { Button } from '../../shared/ui/button';
import { ModalFootProvider } from '../../shared/ui/dialog';
import { usePassing } from '../../shared/ui/use-passing';
import { faultOf } from './errors';
import { TellerProvider, type Told } from './toast';
import styles from './toast-strip.module.css';

/** How long a toast stays unless it is pointed at or has the focus, in milliseconds. */
const TOAST_MS = 8000;

const UndoContext = createContext<(() => void) | null>(null);
const PlaceContext = createContext<RefCallback<HTMLDivElement>>(() => undefined);

/** Takes back what was told last, while that can be done. */
export const useUndo = () => useContext(UndoContext);

/** A refused undo stays until it is read. */
type Shown = Told & { refused?: boolean };

/** Tells at its foot, or at that of the column which has a `ToastPlace`, or of the dialog that is open. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<Shown | null>(null);
  const [places, setPlaces] = useState<readonly HTMLDivElement[]>([]);
  const present = useRef<Shown | null>(null);
  const { teller, stand } = useMemo(() => {
    const set = (next: Shown | null) => {
      present.current = next;
      // At once: the key that is played next may be the one that takes it back.
      flushSync(() => setShown(next));
    };
    const place: RefCallback<HTMLDivElement> = (element) => {
      if (!element) {
        return;
      }
      setPlaces((before) => [...before, element]);
      return () => setPlaces((before) => before.filter((other) => other !== element));
    };
    const show = (told: Told | null) => {
      if (told || !(present.current?.undo || present.current?.refused)) {
        set(told);
      }
    };
    return { teller: { show, set }, stand: place };
  }, []);
  const { show, set } = teller;
  const undo = shown?.undo
    ? () => {
        // Once, however often it is pressed.
        const undone = present.current?.undo;
        set(null);
        undone?.().then(
          (text) => {
            if (text !== null) {
              show({ text: typeof text === 'string' ? text : 'Annullato' });
            }
          },
          (error: unknown) => set({ text: `Non annullato. ${faultOf(error).text}`, refused: true }),
        );
      }
    : null;
  const strip = <Strip {...{ shown, undo }} onEnd={() => set(null)} />;
  const place = places.at(-1);
  return (
    <TellerProvider value={teller}>
      <UndoContext value={undo}>
        <PlaceContext value={stand}>
          <ModalFootProvider value={ToastPlace}>{children}</ModalFootProvider>
          {place ? createPortal(strip, place) : strip}
        </PlaceContext>
      </UndoContext>
    </TellerProvider>
  );
}

interface StripProps {
  shown: Shown | null;
  undo: (() => void) | null;
  onEnd: () => void;
}

/** Begins anew where it changes its place: no pointer is on it there. */
function Strip({ shown, undo, onEnd }: StripProps) {
  const passing = usePassing(shown?.refused ? null : shown, TOAST_MS, onEnd);
  return (
    <div role="status" className={styles.strip} {...passing}>
      {shown ? (
        <div className={styles.toast}>
          <p title={shown.text}>{shown.text}</p>
          {undo ? (
            <Button variant="quiet" aria-keyshortcuts="z" onClick={undo}>
              Annulla
              <span aria-hidden="true">z</span>
            </Button>
          ) : null}
          {shown.refused ? (
            <Button variant="quiet" onClick={onEnd}>
              Chiudi
            </Button>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

/** The foot of a column in which a toast stands instead of at the foot of the page; the last one that came has it. */
export function ToastPlace() {
  return <div className={styles.place} ref={useContext(PlaceContext)} />;
}
