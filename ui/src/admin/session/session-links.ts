/** Ties the session to the server and to the other tabs. Must never send anything but times and reasons. */
import { call, SESSION_EXPIRED } from '../../shared/api/client';
import { SessionStore, type TabMessage } from './session-store';

const CHANNEL = 'segnalazioni-sessione';

/** The session of this page, listening to the other tabs, to failed calls and to the tab coming back into view. */
export function openSession(): SessionStore {
  const channel = new BroadcastChannel(CHANNEL);
  const store = new SessionStore({
    read: async (background) => {
      const { expiresAt, idleTimeoutMinutes } = await call('get', '/session', { background });
      const idleMs = idleTimeoutMinutes * 60_000;
      // A clock that runs behind must not stretch the session on the screen beyond its real length.
      return { endsAt: Math.min(Date.parse(expiresAt), Date.now() + idleMs), idleMs };
    },
    end: () => call('delete', '/session', {}),
    tell: (message) => channel.postMessage(message),
    now: Date.now,
  });
  channel.addEventListener('message', (event: MessageEvent<TabMessage>) => store.hear(event.data));
  window.addEventListener(SESSION_EXPIRED, () => store.lost());
  window.addEventListener('pageshow', () => store.wake());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') {
      store.wake();
    }
  });
  return store;
}
