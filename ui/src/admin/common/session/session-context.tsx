import { createContext, useSyncExternalStore } from 'react';
import { call, SESSION_DOUBTED } from '../../../shared/api/client';
import { ownKept } from '../kept';
import { useNeeded } from '../use-needed';
import { type SessionState, SessionStore, type TabMessage, type Who } from './session-store';

const SessionContext = createContext<SessionStore | null>(null);
export const useSession = () => useNeeded(SessionContext, 'a session');

export const SessionProvider = SessionContext.Provider;

export function useSessionState(): SessionState {
  const store = useSession();
  return useSyncExternalStore(store.subscribe, () => store.state);
}

export interface Rights {
  /** Null for the shared password. */
  who: Who | null;
  edits: boolean;
  administers: boolean;
  sees: (desk: string) => boolean;
}

/** Whose panel this is, and what they may do. What one may not do is not shown; the server decides. */
export function useRights(): Rights {
  const state = useSessionState();
  const who = state.status === 'active' ? state.who : null;
  const role = who?.role ?? 'amministratore';
  const desks = who?.departments ?? [];
  return {
    who,
    edits: role !== 'lettore',
    administers: role === 'amministratore',
    sees: (desk) => desks.length === 0 || desks.includes(desk),
  };
}

const CHANNEL = 'segnalazioni-sessione';

/** The session of this page, listening to the other tabs, to failed calls and to the tab coming back into view. */
export function openSession(): SessionStore {
  const channel = new BroadcastChannel(CHANNEL);
  const store = new SessionStore({
    read: async (background) => {
      const session = await call('get', '/session', { background });
      const { expiresAt, idleTimeoutMinutes, id, user, name, role, departments, secondFactor, locked } =
        session;
      const idleMs = idleTimeoutMinutes * 60_000;
      const known = id && user && name && role && departments && secondFactor;
      const who = known ? { id, user, name, role, departments, secondFactor } : null;
      ownKept(who?.id ?? '');
      return { endsAt: Date.parse(expiresAt), idleMs, who, locked };
    },
    end: () => call('delete', '/session', {}),
    tell: (message) => channel.postMessage(message),
  });
  channel.addEventListener('message', (event: MessageEvent<TabMessage>) => store.hear(event.data));
  window.addEventListener(SESSION_DOUBTED, () => void store.doubt());
  window.addEventListener('pageshow', () => store.wake());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') {
      store.wake();
    }
  });
  return store;
}
