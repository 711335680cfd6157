import { useEffect, useRef, useState } from 'react';

/** Ends `what` after a while, but not under a pointer nor while it has the focus. Gives what the element listens to. */
export function usePassing(what: unknown, after: number, onDone: () => void) {
  const [held, setHeld] = useState(false);
  // The parent draws often; only something new may start the clock again.
  const done = useRef(onDone);
  useEffect(() => {
    done.current = onDone;
  }, [onDone]);
  useEffect(() => {
    if (what === null || held) {
      return;
    }
    const timer = setTimeout(() => done.current(), after);
    return () => clearTimeout(timer);
  }, [what, after, held]);
  const [hold, release] = [() => setHeld(true), () => setHeld(false)];
  return { onPointerEnter: hold, onPointerLeave: release, onFocus: hold, onBlur: release };
}
