import { createContext, type ReactNode, useContext, useSyncExternalStore } from 'react';
import type { SessionState, SessionStore } from './session-store';

const SessionContext = createContext<SessionStore | null>(null);

export function SessionProvider({ store, children }: { store: SessionStore; children: ReactNode }) {
  return <SessionContext value={store}>{children}</SessionContext>;
}

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
