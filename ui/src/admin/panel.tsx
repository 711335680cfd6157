import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Announcer } from '../shared/ui/announcer';
import { useSteadyFocus } from '../shared/ui/use-steady-focus';
import { BrandingKeeper } from './common/branding-keeper';
import { kept } from './common/kept';
import { LeaveGuardProvider } from './common/leave-guard';
import { useRights, useSession, useSessionState } from './common/session/session-context';
import { RequireSession } from './shell/require-session';
import { Shell } from './shell/shell';

const SecondFactorFirst = lazy(() =>
  import('./account/second-factor').then((part) => ({ default: part.SecondFactorFirst })),
);

const Unlock = lazy(() => import('./account/unlock').then((part) => ({ default: part.Unlock })));

function newClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // Polling tries again by itself, and the browser's idea of being online is wrong on local networks.
      queries: { retry: false, networkMode: 'always' },
    },
  });
}

/** Everything behind the login, and the memory of what was read there: it goes when the session does. */
export function Panel() {
  // Another person's panel remembers nothing of this one's.
  return <PanelOf key={useRights().who?.id ?? ''} />;
}

function PanelOf() {
  const session = useSession();
  const [client] = useState(newClient);
  useSteadyFocus();

  useEffect(
    () =>
      session.onEnd((reason) => {
        void client.cancelQueries();
        client.clear();
        if (reason === 'logout') {
          kept.clear();
        }
      }),
    [session, client],
  );

  return (
    <QueryClientProvider client={client}>
      {/* Behind a shell as high as the window it would make every page a pixel too high. */}
      <Announcer />
      <RequireSession>
        <LeaveGuardProvider>
          <RequireFactor>
            <RequireOpen>
              <Shell />
            </RequireOpen>
          </RequireFactor>
        </LeaveGuardProvider>
        <BrandingKeeper />
      </RequireSession>
    </QueryClientProvider>
  );
}

/** Asks for the second factor first, where it has to be set up. It stays until its codes were seen, whatever the session says. */
function RequireFactor({ children }: { children: ReactNode }) {
  const session = useSession();
  const required = useRights().who?.secondFactor === 'required';
  const [held, setHeld] = useState(required);
  useEffect(() => setHeld((before) => before || required), [required]);
  const done = () => session.stay().then(() => setHeld(false));
  return held ? (
    <Suspense>
      <SecondFactorFirst onDone={done} />
    </Suspense>
  ) : (
    children
  );
}

/** Asks for the password once, where the archive is sealed and closed: in place of the panel, or above what is open of it. */
export function RequireOpen({ children }: { children: ReactNode }) {
  const state = useSessionState();
  const locked = state.status === 'active' && state.locked;
  const [entered, setEntered] = useState(!locked);
  /** Without the reports for now. */
  const [aside, setAside] = useState(false);
  useEffect(() => {
    if (!locked) {
      setEntered(true);
      setAside(false);
    }
  }, [locked]);
  const leave = () => {
    setEntered(true);
    setAside(true);
  };
  const unlock = (
    <Suspense>
      <Unlock above={entered} onLeave={leave} />
    </Suspense>
  );
  return (
    <>
      {entered || !locked ? children : null}
      {locked && !aside ? unlock : null}
    </>
  );
}
