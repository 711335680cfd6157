import { useEffect } from 'react';
import type { SessionStore } from './session-store';

/** What counts as somebody being there (PRODUCT.md §6). */
const EVENTS = ['mousemove', 'mousedown', 'keydown', 'scroll', 'touchstart', 'click'] as const;

/** Lets every sign of life reach the session while the panel is on screen. */
export function useActivity(store: SessionStore): void {
  useEffect(() => {
    const active = () => store.activity();
    // Captured: a scroll inside a box does not bubble.
    const options = { capture: true, passive: true };
    for (const event of EVENTS) {
      document.addEventListener(event, active, options);
    }
    return () => {
      for (const event of EVENTS) {
        document.removeEventListener(event, active, options);
      }
    };
  }, [store]);
}
