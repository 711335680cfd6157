/** Pages of the panel, each in a chunk of its own. Must import none of them eagerly: the login page pays for it. */
import type { ComponentType } from 'react';
import { createBrowserRouter, Navigate, type RouteObject, RouterProvider } from 'react-router-dom';
import type { Branding } from '../shared/api/schema';
import { messages } from '../shared/messages';
import { Button } from '../shared/ui/button';
import { Message } from '../shared/ui/message';
import { BrandingProvider } from './common/branding';
import { paths } from './common/paths';
import { SessionProvider } from './session/session-context';
import type { SessionStore } from './session/session-store';

/** Base path without its last slash, as the router wants it. */
export const BASE = import.meta.env.BASE_URL.replace(/\/$/, '');

function page(path: string, load: () => Promise<ComponentType>, children?: RouteObject[]): RouteObject {
  return { path, lazy: async () => ({ Component: await load() }), ...(children && { children }) };
}

/** Stands in for a page that could not be drawn or loaded, most often because the server was updated meanwhile. */
function PageFailure() {
  return (
    <Message
      kind="error"
      title={messages.unexpected}
      actions={<Button onClick={() => window.location.reload()}>Ricarica la pagina</Button>}
    >
      <p>Questa pagina non si è caricata. Se il programma è stato appena aggiornato, ricaricarla basta.</p>
    </Message>
  );
}

const closedPages: RouteObject[] = [
  page(paths.retention, () => import('./retention/retention-page').then((part) => part.RetentionPage)),
  page(paths.deliveries, () => import('./deliveries/deliveries-page').then((part) => part.DeliveriesPage)),
  page(paths.opening, () => import('./opening/opening-page').then((part) => part.OpeningPage)),
  page(paths.prompts, () => import('./prompts/prompts-page').then((part) => part.PromptsPage)),
  ...['email', 'security', 'system'].map((name) =>
    page(paths.section(name), () => import('./settings/index-page').then((part) => part.SettingsIndex)),
  ),
  { path: paths.settings, element: <Navigate to={paths.section('email')} replace /> },
  page(`${paths.settings}/email/:page`, () =>
    import('./settings/email-pages').then((part) => part.EmailPage),
  ),
  page(`${paths.settings}/security/:page`, () =>
    import('./settings/security-pages').then((part) => part.SecurityPage),
  ),
  page(`${paths.settings}/system/:page`, () =>
    import('./settings/system-pages').then((part) => part.SystemPage),
  ),
  { path: `${paths.settings}/*`, element: <Navigate to={paths.settings} replace /> },
];

const panelPages: RouteObject[] = [
  page(paths.reports, () => import('./desk/desk').then((part) => part.Desk), [
    page(':id', () => import('./report/report-page').then((part) => part.ReportPage)),
  ]),
  page(paths.mine, () => import('./notices/for-you-page').then((part) => part.ForYouPage)),
  page(paths.analytics, () => import('./analytics/analytics-page').then((part) => part.AnalyticsPage)),
  { lazy: async () => ({ Component: (await import('./shell/closed')).Closed }), children: closedPages },
  page(paths.account, () => import('./account/account-page').then((part) => part.AccountPage)),
  { index: true, element: <Navigate to={paths.reports} replace /> },
  { path: '*', element: <Navigate to={paths.reports} replace /> },
];

const routes: RouteObject[] = [
  {
    errorElement: <PageFailure />,
    hydrateFallbackElement: <></>,
    children: [
      page(paths.login, () => import('./login/login-page').then((part) => part.LoginPage)),
      page(paths.setup, () => import('./setup/setup-page').then((part) => part.SetupPage)),
      page(paths.invitation, () =>
        import('./invitation/invitation-page').then((part) => part.InvitationPage),
      ),
      page(paths.admin, () => import('./panel').then((part) => part.Panel), [
        { errorElement: <PageFailure />, children: panelPages },
      ]),
      { path: '*', element: <Navigate to={paths.admin} replace /> },
    ],
  },
];

interface AppProps {
  branding: Branding;
  session: SessionStore;
  router: ReturnType<typeof createBrowserRouter>;
}

/** Begins to load the page the address asks for, and the panel around it, side by side. */
export const openRouter = () => createBrowserRouter(routes, { basename: BASE });

export function App({ branding, session, router }: AppProps) {
  return (
    <BrandingProvider branding={branding}>
      <SessionProvider value={session}>
        <RouterProvider router={router} />
      </SessionProvider>
    </BrandingProvider>
  );
}
