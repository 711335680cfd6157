import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { messages } from '../../shared/messages';
import { Button } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';
import { Message } from '../../shared/ui/message';
import { useAction } from '../common/action';
import { ErrorCard } from '../common/error-card';
import { useKeysAhead } from '../common/keys/registry';
import { paths, type Trail } from '../common/paths';
import { useSession, useSessionState } from '../common/session/session-context';
import type { SessionStore } from '../common/session/session-store';
import { useNow } from '../common/use-now';
import styles from './require-session.module.css';

export function RequireSession({ children }: { children: ReactNode }) {
  const store = useSession();
  const state = useSessionState();
  const location = useLocation();
  useActivity(store);
  useKeysAhead(state.status === 'unknown');

  if (state.status === 'active') {
    return (
      <>
        {children}
        <SessionWarning />
      </>
    );
  }
  if (state.status === 'none') {
    const trail: Trail = state.ended === 'logout' ? {} : { from: location.pathname + location.search };
    return <Navigate to={paths.login} replace state={trail} />;
  }
  return (
    <main className={styles.wait}>
      {state.status === 'failed' ? (
        <ErrorCard title="Il pannello non risponde" error={state.error} onRetry={() => void store.check()} />
      ) : (
        <p role="status" className={styles.text}>
          Caricamento…
        </p>
      )}
    </main>
  );
}

/** Asks, a minute before the session ends for want of activity, whether it is to go on (WCAG 2.2.1). */
function SessionWarning() {
  const state = useSessionState();
  const store = useSession();
  const stay = useRef<HTMLButtonElement>(null);
  const action = useAction();
  const [dismissed, setDismissed] = useState<number | null>(null);
  const warning = state.status === 'active' ? state.warning : null;
  const close = () =>
    warning?.extendable ? void action.run(() => store.stay()) : setDismissed(warning?.endsAt ?? null);

  return (
    <Dialog
      open={warning !== null && warning.endsAt !== dismissed}
      title="La sessione sta per scadere"
      onCancel={close}
      initialFocus={stay}
      actions={
        <Button ref={stay} variant="primary" inactive={action.busy} onClick={close}>
          {warning?.extendable ? 'Resta collegato' : 'Ho capito'}
        </Button>
      }
    >
      <p>
        {warning?.extendable
          ? 'Per proteggere i dati di chi ci scrive, il pannello si chiude quando nessuno lo usa.'
          : 'La sessione ha raggiunto la durata massima. Salva il lavoro: tra poco dovrai accedere di nuovo.'}
      </p>
      {warning ? <Countdown to={warning.endsAt} /> : null}
      {action.failure ? <Message kind="error">{messages.network}</Message> : null}
    </Dialog>
  );
}

function Countdown({ to }: { to: number }) {
  const now = useNow(1000);
  return (
    <p aria-hidden="true">
      Tempo rimasto: <strong>{Math.max(0, Math.ceil((to - now) / 1000))} s</strong>
    </p>
  );
}

/** The events that count as activity (PRODUCT.md §7). */
const EVENTS = ['mousemove', 'mousedown', 'keydown', 'scroll', 'touchstart', 'click'] as const;

/** Lets every sign of life reach the session while the panel is on screen. */
function useActivity(store: SessionStore): void {
  useEffect(() => {
    const active = () => store.activity();
    // Captured: a scroll inside a box does not bubble.
    const gone = new AbortController();
    const options = { capture: true, passive: true, signal: gone.signal };
    for (const event of EVENTS) {
      document.addEventListener(event, active, options);
    }
    return () => gone.abort();
  }, [store]);
}
