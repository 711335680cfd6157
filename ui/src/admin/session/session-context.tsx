import { createContext, useContext, useSyncExternalStore } from 'react';
import { call, SESSION_EXPIRED } from '../../shared/api/client';
import { type SessionState, SessionStore, type TabMessage } from './session-store';

const SessionContext = createContext<SessionStore | null>(null);

export const SessionProvider = SessionContext.Provider;

export function useSession(): SessionStore {
  const store = useContext(SessionContext);
  if (!store) {
    throw new Error('useSession needs a SessionProvider above it');
  }
  return store;
}

export function useSessionState(): SessionState {
  const store = useSession();
  return useSyncExternalStore(store.subscribe, () => store.state);
}

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
  });
  channel.addEventListener('message', (event: MessageEvent<TabMessage>) => store.hear(event.data));
  window.addEventListener(SESSION_EXPIRED, () => void store.doubt());
  window.addEventListener('pageshow', () => store.wake());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') {
      store.wake();
    }
  });
  return store;
}
