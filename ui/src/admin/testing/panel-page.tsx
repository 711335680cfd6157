/** A page of the panel on its own, with everything around it that it asks for, against a server made of memory. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createMemoryRouter, parsePath, RouterProvider } from 'react-router-dom';
import { onTestFinished, vi } from 'vitest';
import type { Branding, DepartmentList } from '../../shared/api/schema';
import { type Answer, arrivals, type Request, serve } from '../../shared/testing/server';
import { useSteadyFocus } from '../../shared/ui/use-steady-focus';
import { BrandingProvider } from '../common/branding';
import { kept } from '../common/kept';
import { type KeyRegistry, KeyRegistryProvider, openKeys, Pages } from '../common/keys/registry';
import { LeaveGuardProvider } from '../common/leave-guard';
import type { Trail } from '../common/paths';
import { SessionProvider } from '../common/session/session-context';
import type { SessionStore, Who } from '../common/session/session-store';
import { ToastProvider } from '../common/toast-strip';
import { keyOf } from '../common/use-read';
import { sampleBranding, sampleDepartments, sampleSession } from './samples';

/** Lets timers and answers of so many milliseconds pass, by the clock that a page is opened with. */
export const pass = (ms: number) =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
    await arrivals();
  });

/** The keys of a panel that a test opens, gone with the test. */
export function keysOf(router: ReturnType<typeof createMemoryRouter>): KeyRegistry {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  return openKeys(router, gone.signal);
}

/** Presses a button, which takes the focus by that, and waits for what it does at once. */
export const press = async (name: string | RegExp, inside = document.body) => {
  const button = within(inside).getByRole('button', { name });
  act(() => button.focus());
  fireEvent.click(button);
  await pass(0);
};

/** What the page itself says; what was done is told behind it. */
export const status = (): HTMLElement => screen.getAllByRole('status')[0] as HTMLElement;

export const type = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });

export interface PanelPage {
  /** Every request so far, oldest first. */
  requests: Request[];
  /** The calls that change something, except those about open reports. */
  changes: () => Pick<Request, 'method' | 'path' | 'body'>[];
  session: SessionStore;
  /** Takes the page away, as the end of a session does. */
  close: () => void;
}

/** What stands around every page of the panel. */
function Around({ children }: { children: ReactNode }) {
  useSteadyFocus();
  return (
    <LeaveGuardProvider>
      <ToastProvider>{children}</ToastProvider>
    </LeaveGuardProvider>
  );
}

interface Options {
  branding?: Branding;
  address?: string;
  /** The state of the history entry, and the path of the page. */
  state?: Trail | undefined;
  path?: string;
  /** Whose session it is; null for the shared password. */
  who?: Who | null;
  /** In place of a session that lasts. */
  session?: SessionStore;
  /** As they were read before; null where they were not. */
  departments?: DepartmentList | null;
}

export async function openPage(
  page: ReactNode,
  answer: Answer,
  {
    branding = sampleBranding,
    address = '/',
    state,
    path = '*',
    who = null,
    session = sampleSession(who),
    departments = sampleDepartments(),
  }: Options = {},
): Promise<PanelPage> {
  if (!vi.isFakeTimers()) {
    vi.useFakeTimers();
  }
  // The values that a form keeps through the end of a session must not reach another test.
  onTestFinished(() => kept.clear());
  const requests = serve(answer);
  await session.check();
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: 'always' } } });
  if (departments) {
    client.setQueryData(keyOf('/departments'), departments);
  }
  const element = <Around>{page}</Around>;
  const { pathname = '/', search = '', hash = '' } = parsePath(address);
  const routes = [{ element: <Pages />, children: [{ path, element }] }];
  const router = createMemoryRouter(routes, { initialEntries: [{ pathname, search, hash, state }] });
  const view = render(
    <BrandingProvider branding={branding}>
      <SessionProvider value={session}>
        <QueryClientProvider client={client}>
          <KeyRegistryProvider value={keysOf(router)}>
            <RouterProvider router={router} />
          </KeyRegistryProvider>
        </QueryClientProvider>
      </SessionProvider>
    </BrandingProvider>,
  );
  // The queries of the page come first, then those of its parts.
  await pass(0);
  await pass(10);
  return {
    requests,
    changes: () =>
      requests
        .filter(({ method, path }) => method !== 'GET' && !path.endsWith('/presence'))
        .map(({ method, path, body }) => ({ method, path, body })),
    session,
    close: () => view.unmount(),
  };
}
