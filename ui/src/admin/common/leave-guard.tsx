import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useNavigate } from 'react-router-dom';

interface LeaveGuard {
  /** Keeps the page from being left without a question, which says `loss`; call the result to let go. */
  hold: (loss: string) => () => void;
  /** Goes at once when nothing would be lost, else after the answer. */
  ask: (go: () => void) => void;
  /** A way out that waits for an answer. */
  pending: Departure | null;
  /** What would be lost, for the question. */
  loss: string;
  /** The answer: go, or stay here. */
  answer: (leave: boolean) => void;
}

interface Departure {
  go: () => void;
}

interface Holder {
  loss: string;
}

const LeaveContext = createContext<LeaveGuard | null>(null);

/** Address inside the panel that a plain click on a link would lead to; null for everything else. */
function targetOf(event: MouseEvent, base: string): string | null {
  const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (
    !plain ||
    !link ||
    link.target ||
    link.hasAttribute('download') ||
    link.origin !== window.location.origin
  ) {
    return null;
  }
  const path = link.pathname;
  return path.startsWith(`${base}/`) ? path.slice(base.length) + link.search : null;
}

/** Position of the present entry in the history, as the router numbers it. */
function positionOf(state: unknown): number | null {
  const index = (state as { idx?: unknown } | null)?.idx;
  return typeof index === 'number' ? index : null;
}

/**
 * Asks before unsaved work is left behind: by a link, by Back and Forward, by Esci, by closing the tab. Only the end of
 * the session passes unasked. `LeavePrompt` puts the question.
 */
export function LeaveGuardProvider({ base, children }: { base: string; children: ReactNode }) {
  const navigate = useNavigate();
  const [holders, setHolders] = useState<readonly Holder[]>([]);
  const [pending, setPending] = useState<Departure | null>(null);
  const held = holders.length > 0;
  const loss = holders.at(-1)?.loss ?? '';

  const hold = useCallback((text: string) => {
    const holder: Holder = { loss: text };
    setHolders((before) => [...before, holder]);
    return () => setHolders((before) => before.filter((other) => other !== holder));
  }, []);
  const ask = useCallback((go: () => void) => (held ? setPending({ go }) : go()), [held]);

  useEffect(() => {
    if (!held) {
      return;
    }
    const onClick = (event: MouseEvent) => {
      const target = targetOf(event, base);
      if (target !== null) {
        event.preventDefault();
        event.stopPropagation();
        setPending({ go: () => navigate(target) });
      }
    };
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    document.addEventListener('click', onClick, true);
    window.addEventListener('beforeunload', onUnload);
    return () => {
      document.removeEventListener('click', onClick, true);
      window.removeEventListener('beforeunload', onUnload);
    };
  }, [held, base, navigate]);
  useGuardedHistory(held, setPending);

  const answer = useCallback(
    (leave: boolean) => {
      setPending(null);
      if (leave) {
        pending?.go();
      }
    },
    [pending],
  );
  const guard = useMemo(() => ({ hold, ask, pending, loss, answer }), [hold, ask, pending, loss, answer]);
  return <LeaveContext value={guard}>{children}</LeaveContext>;
}

/**
 * Back and Forward. The browser has already moved when it says so: step back to where we were, then ask. The listener
 * must run before the router's own, and browsers call listeners of the window in the order they came: it is set in a
 * layout effect, which in a child of the router runs before the router's, and stays for good.
 */
function useGuardedHistory(held: boolean, ask: (pending: Departure) => void): void {
  const here = useRef<number | null>(null);
  useEffect(() => {
    here.current = held ? positionOf(window.history.state) : null;
  }, [held]);

  useLayoutEffect(() => {
    /** What the next step of the history is: our own way back, the one the reader agreed to, or somebody's. */
    let expected: 'return' | 'leave' | null = null;
    const onPop = (event: PopStateEvent) => {
      const own = expected;
      expected = null;
      if (own === 'return') {
        event.stopImmediatePropagation();
      }
      const [from, to] = [here.current, positionOf(event.state)];
      if (own || from === null || to === null || from === to) {
        return;
      }
      event.stopImmediatePropagation();
      expected = 'return';
      window.history.go(from - to);
      ask({
        go: () => {
          expected = 'leave';
          window.history.go(to - from);
        },
      });
    };
    window.addEventListener('popstate', onPop, true);
    return () => window.removeEventListener('popstate', onPop, true);
  }, [ask]);
}

function useLeaveContext(): LeaveGuard {
  const guard = useContext(LeaveContext);
  if (!guard) {
    throw new Error('the leave guard needs a LeaveGuardProvider above it');
  }
  return guard;
}

/** Guards the page while `dirty`; `loss` tells the reader what would be lost. */
export function useLeaveGuard(dirty: boolean, loss: string): void {
  const { hold } = useLeaveContext();
  useEffect(() => (dirty ? hold(loss) : undefined), [dirty, loss, hold]);
}

/** For leaving by something that is no link. */
export function useAskBeforeLeaving(): LeaveGuard['ask'] {
  return useLeaveContext().ask;
}

/** The question that waits, for the dialog that puts it. */
export function useDeparture(): Pick<LeaveGuard, 'pending' | 'loss' | 'answer'> {
  return useLeaveContext();
}
