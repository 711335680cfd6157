/** A page of the panel on its own, with everything around it that it asks for, against a server made of memory. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { onTestFinished, vi } from 'vitest';
import type { Branding } from '../../shared/api/schema';
import { BrandingProvider } from '../common/branding';
import { type KeyRegistry, KeyRegistryProvider, openKeys, Pages } from '../common/keys/registry';
import { LeaveGuardProvider } from '../common/leave-guard';
import { SessionProvider } from '../common/session/session-context';
import type { SessionStore, Who } from '../common/session/session-store';
import { sampleBranding, sampleSession } from './samples';

export interface Request {
  method: string;
  /** Below the interface's root, with its query. */
  path: string;
  body: unknown;
}

export type Answer = (request: Request) => Response;

/** A refusal as the server writes it. */
export function problem(status: number, slug: string, more: object = {}): Response {
  const body = {
    type: `urn:segnalazioni:problem:${slug}`,
    title: slug,
    status,
    detail: `Fallito: ${slug}`,
    ...more,
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/problem+json' },
  });
}

/** Lets timers and answers of so many milliseconds pass; needs fake timers. */
export const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

/** The keys of a panel that a test opens, gone with the test. */
export function keysOf(router: ReturnType<typeof createMemoryRouter>): KeyRegistry {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  return openKeys(router, gone.signal);
}

export interface PanelPage {
  /** Every request so far, oldest first. */
  requests: Request[];
  /** Those that change something, but for who has what open. */
  changes: () => Request[];
  session: SessionStore;
  /** Takes the page away, as the end of a session does. */
  close: () => void;
}

interface Options {
  branding?: Branding;
  address?: string;
  /** Whose session it is; null for the shared password. */
  who?: Who | null;
}

export async function openPage(
  page: ReactNode,
  answer: (request: Request) => Response | Promise<Response>,
  { branding = sampleBranding, address = '/', who = null }: Options = {},
): Promise<PanelPage> {
  const requests: Request[] = [];
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const path = String(input).replace('/paibeta/api', '');
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    const request = { method: init?.method ?? 'GET', path, body };
    requests.push(request);
    const givenUp = new Promise<never>((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new DOMException('stop', 'AbortError')));
    });
    return Promise.race([answer(request), givenUp]);
  });
  const session = sampleSession(who);
  await session.check();
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: 'always' } } });
  const element = <LeaveGuardProvider>{page}</LeaveGuardProvider>;
  const routes = [{ element: <Pages />, children: [{ path: '*', element }] }];
  const router = createMemoryRouter(routes, { initialEntries: [address] });
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
  // What the page reads first, then what its parts read once it is there.
  await pass(0);
  await pass(10);
  return {
    requests,
    changes: () => requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/presence')),
    session,
    close: () => view.unmount(),
  };
}
