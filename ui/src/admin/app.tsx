import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Suspense } from 'react';
import { BrowserRouter, Navigate, Route, Routes } from 'react-router-dom';
import type { Branding } from '../shared/api/schema';
import { Announcer } from '../shared/ui/announcer';
import { BrandingProvider } from './common/branding';
import { LeaveGuardProvider } from './common/leave-guard';
import { paths } from './common/paths';
import { lazyPage } from './lazy-page';
import { RequireSession } from './session/require-session';
import { SessionProvider } from './session/session-context';
import type { SessionStore } from './session/session-store';
import { Shell } from './shell/shell';

/** Base path without its last slash, as the router wants it. */
const BASE = import.meta.env.BASE_URL.replace(/\/$/, '');

const LoginPage = lazyPage(() => import('./login/login-page').then((page) => page.LoginPage));
const SetupPage = lazyPage(() => import('./setup/setup-page').then((page) => page.SetupPage));
const ReportsPage = lazyPage(() => import('./reports/reports-page').then((page) => page.ReportsPage));
const ReportPage = lazyPage(() => import('./report/report-page').then((page) => page.ReportPage));

interface AppProps {
  branding: Branding;
  session: SessionStore;
  client: QueryClient;
}

/** The panel: who is in, and which page the address asks for. */
export function App({ branding, session, client }: AppProps) {
  return (
    <BrandingProvider branding={branding}>
      <SessionProvider store={session}>
        <QueryClientProvider client={client}>
          <BrowserRouter basename={BASE}>
            <LeaveGuardProvider base={BASE}>
              <Suspense fallback={null}>
                <Pages />
              </Suspense>
            </LeaveGuardProvider>
          </BrowserRouter>
          <Announcer />
        </QueryClientProvider>
      </SessionProvider>
    </BrandingProvider>
  );
}

function Pages() {
  return (
    <Routes>
      <Route path={paths.login} element={<LoginPage />} />
      <Route path={paths.setup} element={<SetupPage />} />
      <Route
        path={paths.admin}
        element={
          <RequireSession>
            <Shell />
          </RequireSession>
        }
      >
        <Route path="reports" element={<ReportsPage />} />
        <Route path="reports/:id" element={<ReportPage />} />
        <Route index element={<Navigate to={paths.reports} replace />} />
        <Route path="*" element={<Navigate to={paths.reports} replace />} />
      </Route>
      <Route path="*" element={<Navigate to={paths.admin} replace />} />
    </Routes>
  );
}
