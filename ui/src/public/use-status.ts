/**
 * Whether the newsroom can be reached, asked every two seconds while somebody looks at the page (PRODUCT.md §3).
 * Must never poll a hidden page.
 */
import { useEffect, useState } from 'react';
import { call } from '../shared/api/client';
import type { Branding, Status } from '../shared/api/schema';

export type Reach = 'checking' | 'online' | 'demo' | 'offline';

const PERIOD = 2000;

export function reachOf(database: Status['database']): Reach {
  return database === 'unavailable' ? 'offline' : database;
}

/**
 * Starts from `checking`, so that the first render equals the prerendered page; `initial` follows at once. `onBranding`
 * gets names and logo when they have changed; theme and colour are applied already then.
 */
export function useStatus(initial: Status, onBranding: (branding: Branding) => void): Reach {
  const [reach, setReach] = useState<Reach>('checking');

  useEffect(() => {
    setReach(reachOf(initial.database));
    let timer = 0;
    let running = new AbortController();
    let seen = initial.appearance;
    // Hardly any visit sees a change, so that what it takes loads only then; what fails is tried with the next answer.
    const look = ({ appearance }: Status) =>
      appearance === seen ||
      import('./new-look')
        .then(({ takeNewLook }) => takeNewLook(onBranding))
        .then(
          () => {
            seen = appearance;
          },
          () => undefined,
        );

    const ask = async (): Promise<void> => {
      window.clearTimeout(timer);
      running.abort();
      const mine = new AbortController();
      running = mine;
      const answer = await call('get', '/status', { background: true, signal: mine.signal, timeoutMs: 8000 })
        .then((status) => {
          void look(status);
          return reachOf(status.database);
        })
        // Any failure means the same to the person: the newsroom cannot be reached.
        .catch((): Reach => 'offline');
      if (!mine.signal.aborted) {
        setReach(answer);
        timer = window.setTimeout(ask, PERIOD);
      }
    };
    const stop = () => {
      window.clearTimeout(timer);
      running.abort();
    };
    const follow = () => (document.hidden ? stop() : void ask());
    const lost = () => setReach('offline');

    if (!document.hidden) {
      timer = window.setTimeout(ask, PERIOD);
    }
    document.addEventListener('visibilitychange', follow);
    window.addEventListener('online', follow);
    window.addEventListener('offline', lost);
    return () => {
      stop();
      document.removeEventListener('visibilitychange', follow);
      window.removeEventListener('online', follow);
      window.removeEventListener('offline', lost);
    };
  }, [initial, onBranding]);

  return reach;
}
