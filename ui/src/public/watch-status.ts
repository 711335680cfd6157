/** Asks whether the newsroom can be reached (PRODUCT.md §2). Must never poll a hidden page. */
import { call } from '../shared/api/client';
import type { Branding, Status } from '../shared/api/schema';
import { type Reach, reachOf } from './use-status';

const PERIOD = 2000;

/** `onBranding` gets names and logo when they have changed; theme and colour are applied already then. Gives what ends it. */
export function watchStatus(
  initial: Status,
  onReach: (reach: Reach) => void,
  onBranding: (branding: Branding) => void,
): () => void {
  let timer = 0;
  let running = new AbortController();
  let seen = initial.appearance;
  const stop = () => {
    window.clearTimeout(timer);
    running.abort();
  };
  const ask = async (): Promise<void> => {
    stop();
    running = new AbortController();
    const { signal } = running;
    try {
      const { database, appearance } = await call('get', '/status', {
        background: true,
        signal,
        timeoutMs: 8000,
      });
      onReach(reachOf(database));
      if (appearance !== seen) {
        seen = appearance;
        // Hardly any visit sees a change, so that what it takes loads only then; what fails is tried with the next answer.
        import('./new-look')
          .then(({ takeNewLook }) => takeNewLook(onBranding))
          .catch(() => {
            seen = -1;
          });
      }
    } catch {
      // Any failure means the same to the person: the newsroom cannot be reached.
      if (!signal.aborted) {
        onReach('offline');
      }
    }
    if (!signal.aborted) {
      timer = window.setTimeout(ask, PERIOD);
    }
  };
  const follow = () => (document.hidden ? stop() : void ask());
  const gone = new AbortController();
  document.addEventListener('visibilitychange', follow, gone);
  window.addEventListener('online', follow, gone);
  window.addEventListener('offline', () => onReach('offline'), gone);
  if (!document.hidden) {
    timer = window.setTimeout(ask, PERIOD);
  }
  return () => {
    stop();
    gone.abort();
  };
}
