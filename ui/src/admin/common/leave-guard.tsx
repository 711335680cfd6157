import { createContext, type ReactNode, useEffect, useRef, useState } from 'react';
import { useBlocker } from 'react-router-dom';
import { Confirm } from '../../shared/ui/confirm';
import { kept } from './kept';
import { readTrail } from './paths';
import { useNeeded } from './use-needed';

interface LeaveGuard {
  /** Keeps the page from being left without that question, which says `loss`; call the result to let go. */
  hold: (loss: string, title: string) => () => void;
  /** Goes at once when nothing would be lost, else after the answer. */
  ask: (go: () => void) => void;
}

const LeaveContext = createContext<LeaveGuard | null>(null);
const useLeaveContext = () => useNeeded(LeaveContext, 'the leave guard');

/** Asks before unsaved work is left: by a link, Back, Esci or closing the tab; not at the end of the session or an
 *  erasure. What is kept in memory outlives another page, so that it is asked about only where the memory goes. */
export function LeaveGuardProvider({ children }: { children: ReactNode }) {
  const held = useRef<readonly { loss: string; title: string }[]>([]);
  const [pending, setPending] = useState<{ go: () => void } | null>(null);
  const blocker = useBlocker(({ currentLocation: from, nextLocation: to }) => {
    const erased = readTrail(to.state).erased !== undefined;
    return held.current.length > 0 && from.pathname !== to.pathname && !erased;
  });

  const [guard] = useState<LeaveGuard>(() => ({
    hold: (loss, title) => {
      const holder = { loss, title };
      held.current = [...held.current, holder];
      return () => {
        held.current = held.current.filter((other) => other !== holder);
      };
    },
    ask: (go) => (held.current.length + kept.size > 0 ? setPending({ go }) : go()),
  }));

  useEffect(() => {
    const onUnload = (event: BeforeUnloadEvent) => {
      if (kept.size > 0) {
        event.preventDefault();
      }
    };
    window.addEventListener('beforeunload', onUnload);
    return () => window.removeEventListener('beforeunload', onUnload);
  }, []);

  const stay = () => {
    setPending(null);
    blocker.reset?.();
  };
  const leave = () => {
    setPending(null);
    pending?.go();
    blocker.proceed?.();
  };
  return (
    <LeaveContext value={guard}>
      {children}
      <Confirm
        open={pending !== null || blocker.state === 'blocked'}
        title={held.current.at(-1)?.title ?? 'Testo non inviato'}
        confirmLabel="Esci senza salvare"
        cancelLabel="Resta qui"
        onCancel={stay}
        onConfirm={leave}
      >
        <p>
          {held.current.at(-1)?.loss ??
            'Hai scritto qualcosa in una segnalazione e non l’hai inviato. Se esci adesso, va perso.'}
        </p>
      </Confirm>
    </LeaveContext>
  );
}

/** Guards the page while `dirty`; `loss` tells the reader what would be lost. */
export function useLeaveGuard(dirty: boolean, loss: string, title = 'Modifiche non salvate'): void {
  const { hold } = useLeaveContext();
  useEffect(() => {
    if (!dirty) {
      return;
    }
    const release = hold(loss, title);
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', onUnload);
    return () => {
      release();
      window.removeEventListener('beforeunload', onUnload);
    };
  }, [dirty, loss, title, hold]);
}

/** For leaving by something that changes no address. */
export function useAskBeforeLeaving(): LeaveGuard['ask'] {
  return useLeaveContext().ask;
}
