import { type ReactNode, useEffect } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { ErrorCard } from '../common/error-card';
import { paths, type Trail } from '../common/paths';
import styles from './require-session.module.css';
import { useSession, useSessionState } from './session-context';
import { SessionWarning } from './session-warning';
import { useActivity } from './use-activity';

/** Lets through whoever is logged in; sends the others to the login page, which brings them back here. */
export function RequireSession({ children }: { children: ReactNode }) {
  const store = useSession();
  const state = useSessionState();
  const location = useLocation();
  useActivity(store);

  useEffect(() => {
    if (state.status === 'unknown') {
      void store.check();
    }
  }, [store, state.status]);

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
        <ErrorCard
          title="Il pannello non risponde"
          error={state.error}
          onRetry={() => {
            void store.check();
          }}
        />
      ) : (
        <p role="status" className={styles.text}>
          Caricamento…
        </p>
      )}
    </main>
  );
}
