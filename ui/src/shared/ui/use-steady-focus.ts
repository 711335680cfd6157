/** Keeps the focus where one is at work when what had it goes away (WCAG 2.4.3). Must never take it from what has it. */
import { useEffect } from 'react';

/** What a screen reader calls by a name. */
const NAMED = 'main, [aria-label], [aria-labelledby]';

/** Gives the focus to a part of the page that is no control: until it is left, as a press on it must not give it the focus. */
function enter(part: HTMLElement): void {
  if (!part.hasAttribute('tabindex')) {
    part.tabIndex = -1;
    part.addEventListener('blur', () => part.removeAttribute('tabindex'), { once: true });
  }
  part.focus({ preventScroll: true });
}

/** What goes away with the focus leaves it to the nearest part around it that has a name; in the page itself, to the heading. */
export function useSteadyFocus(): void {
  useEffect(() => {
    /** What had the focus last, then all around it; empty once one has pointed elsewhere. */
    let around: readonly HTMLElement[] = [];
    const give = () => {
      if (around[0]?.isConnected === false && document.activeElement === document.body) {
        const part =
          around.find((one) => one.isConnected && one.matches(NAMED)) ?? document.querySelector('main');
        const heading = part?.matches('main') ? part.querySelector<HTMLElement>('h1') : null;
        if (part) {
          enter(heading ?? part);
        }
      }
    };
    const watch = new MutationObserver(() => {
      // Behind the effects of the page, which may know a better place.
      if (around[0]?.isConnected === false) {
        setTimeout(give);
      }
    });
    watch.observe(document.body, { childList: true, subtree: true });
    const gone = new AbortController();
    const options = { capture: true, signal: gone.signal };
    document.addEventListener(
      'focusin',
      (event) => {
        around = event.composedPath().filter((one) => one instanceof HTMLElement);
      },
      options,
    );
    document.addEventListener(
      'pointerdown',
      ({ target }) => {
        around = target instanceof Node && around[0]?.contains(target) ? around : [];
      },
      options,
    );
    return () => {
      watch.disconnect();
      gone.abort();
    };
  }, []);
}
