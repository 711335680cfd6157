import { Suspense } from 'react';
import { BrowserRouter, Navigate, Route, Routes } from 'react-router-dom';
import type { Branding } from '../shared/api/schema';
import { BrandingProvider } from './common/branding';
import { ErrorBoundary } from './common/error-boundary';
import { LeaveGuardProvider } from './common/leave-guard';
import { paths } from './common/paths';
import { lazyPage } from './lazy-page';
import { SessionProvider } from './session/session-context';
import type { SessionStore } from './session/session-store';

/** Base path without its last slash, as the router wants it. */
export const BASE = import.meta.env.BASE_URL.replace(/\/$/, '');

const loadPanel = () => import('./panel').then((part) => part.Panel);
const loadReports = () => import('./reports/reports-page').then((part) => part.ReportsPage);
const loadReport = () => import('./report/report-page').then((part) => part.ReportPage);
const loadRetention = () => import('./retention/retention-page').then((part) => part.RetentionPage);
const loadAnalytics = () => import('./analytics/analytics-page').then((part) => part.AnalyticsPage);
const loadDeliveries = () => import('./deliveries/deliveries-page').then((part) => part.DeliveriesPage);
const loadPrompts = () => import('./prompts/prompts-page').then((part) => part.PromptsPage);
const loadEmail = () => import('./settings/email-page').then((part) => part.EmailPage);
const loadSecurity = () => import('./settings/security-page').then((part) => part.SecurityPage);
const loadSystem = () => import('./settings/system-page').then((part) => part.SystemPage);

const LoginPage = lazyPage(() => import('./login/login-page').then((part) => part.LoginPage));
const SetupPage = lazyPage(() => import('./setup/setup-page').then((part) => part.SetupPage));
const Panel = lazyPage(loadPanel);
const ReportsPage = lazyPage(loadReports);
const ReportPage = lazyPage(loadReport);
const RetentionPage = lazyPage(loadRetention);
const AnalyticsPage = lazyPage(loadAnalytics);
const DeliveriesPage = lazyPage(loadDeliveries);
const PromptsPage = lazyPage(loadPrompts);
const EmailPage = lazyPage(loadEmail);
const SecurityPage = lazyPage(loadSecurity);
const SystemPage = lazyPage(loadSystem);

/** Which part draws the pages below an address; the first that fits counts. */
const PARTS: readonly (readonly [string, () => Promise<unknown>])[] = [
  [`${paths.reports}/`, loadReport],
  [paths.retention, loadRetention],
  [paths.analytics, loadAnalytics],
  [paths.deliveries, loadDeliveries],
  [paths.prompts, loadPrompts],
  [paths.security, loadSecurity],
  [paths.system, loadSystem],
  [paths.settings, loadEmail],
  [paths.admin, loadReports],
];

/** Fetches the parts of a panel page side by side, instead of each after the one around it. */
export function preloadPanel(address: string): void {
  const part = PARTS.find(([prefix]) => address.startsWith(BASE + prefix));
  // A part that fails to load is reported where it is drawn.
  void Promise.allSettled([loadPanel(), part?.[1]()]);
}

interface AppProps {
  branding: Branding;
  session: SessionStore;
}

/** The newsroom's side: who is in, and which page the address asks for. */
export function App({ branding, session }: AppProps) {
  return (
    <BrandingProvider branding={branding}>
      <SessionProvider store={session}>
        <BrowserRouter basename={BASE}>
          <LeaveGuardProvider base={BASE}>
            <ErrorBoundary resetKey="app">
              <Suspense fallback={null}>
                <Pages />
              </Suspense>
            </ErrorBoundary>
          </LeaveGuardProvider>
        </BrowserRouter>
      </SessionProvider>
    </BrandingProvider>
  );
}

function Pages() {
  return (
    <Routes>
      <Route path={paths.login} element={<LoginPage />} />
      <Route path={paths.setup} element={<SetupPage />} />
      <Route path={paths.admin} element={<Panel />}>
        <Route path="reports" element={<ReportsPage />} />
        <Route path="reports/:id" element={<ReportPage />} />
        <Route path="expiring" element={<RetentionPage />} />
        <Route path="analytics" element={<AnalyticsPage />} />
        <Route path="deliveries" element={<DeliveriesPage />} />
        <Route path="prompts" element={<PromptsPage />} />
        <Route path="settings">
          <Route index element={<Navigate to={paths.email} replace />} />
          <Route path="email" element={<EmailPage />} />
          <Route path="security" element={<SecurityPage />} />
          <Route path="system" element={<SystemPage />} />
          <Route path="*" element={<Navigate to={paths.email} replace />} />
        </Route>
        <Route index element={<Navigate to={paths.reports} replace />} />
        <Route path="*" element={<Navigate to={paths.reports} replace />} />
      </Route>
      <Route path="*" element={<Navigate to={paths.admin} replace />} />
    </Routes>
  );
}
