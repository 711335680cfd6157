/** Pages of the panel, each in a chunk of its own. Must import none of them eagerly: the login page pays for it. */
import type { ComponentType } from 'react';
import { createBrowserRouter, Navigate, type RouteObject, RouterProvider } from 'react-router-dom';
import type { Branding } from '../shared/api/schema';
import { messages } from '../shared/messages';
import { Button } from '../shared/ui/button';
import { Message } from '../shared/ui/message';
import { BrandingProvider } from './common/branding';
import { type KeyRegistry, KeyRegistryProvider, Pages } from './common/keys/registry';
import { paths } from './common/paths';
import { SessionProvider } from './common/session/session-context';
import type { SessionStore } from './common/session/session-store';

/** Base path without its last slash, as the router wants it. */
export const BASE = import.meta.env.BASE_URL.replace(/\/$/, '');

function page<Name extends string>(
  path: string,
  name: Name,
  load: () => Promise<Record<Name, ComponentType>>,
  children?: RouteObject[],
): RouteObject {
  return { path, lazy: async () => ({ Component: (await load())[name] }), ...(children && { children }) };
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
  page(paths.retention, 'RetentionPage', () => import('./retention/retention-page')),
  page(paths.deliveries, 'DeliveriesPage', () => import('./deliveries/deliveries-page')),
  page(paths.opening, 'OpeningPage', () => import('./opening/opening-page')),
  page(paths.prompts, 'PromptsPage', () => import('./prompts/prompts-page')),
  ...['email', 'security', 'system'].map((name) =>
    page(paths.section(name), 'SettingsIndex', () => import('./settings/index-page')),
  ),
  { path: paths.settings, element: <Navigate to={paths.section('email')} replace /> },
  page(`${paths.settings}/email/:page`, 'EmailPage', () => import('./settings/email-pages')),
  page(`${paths.settings}/security/:page`, 'SecurityPage', () => import('./settings/security-pages')),
  page(`${paths.settings}/system/:page`, 'SystemPage', () => import('./settings/system-pages')),
  { path: `${paths.settings}/*`, element: <Navigate to={paths.settings} replace /> },
];

const panelPages: RouteObject[] = [
  page(paths.reports, 'Desk', () => import('./desk/desk'), [
    page(':id', 'ReportPage', () => import('./report/report-page')),
  ]),
  page(`${paths.reports}/:id/copia`, 'CleanCopyPage', () => import('./clean-copy/clean-copy-page')),
  page(paths.changes, 'ChangesPage', () => import('./bulk/changes-page')),
  page(paths.mine, 'ForYouPage', () => import('./notices/for-you-page')),
  page(paths.callouts, 'CalloutsPage', () => import('./callouts/callouts-page')),
  page(`${paths.callouts}/:id`, 'CalloutPage', () => import('./callouts/callout-page')),
  page(`${paths.callouts}/:id/answers`, 'AnswersPage', () => import('./callouts/answers-page')),
  page(paths.stories, 'StoriesPage', () => import('./stories/stories-page')),
  page(`${paths.stories}/:id`, 'StoryPage', () => import('./stories/story-page')),
  page(paths.analytics, 'AnalyticsPage', () => import('./analytics/analytics-page')),
  { lazy: async () => ({ Component: (await import('./shell/closed')).Closed }), children: closedPages },
  page(paths.account, 'AccountPage', () => import('./account/account-page')),
  { index: true, element: <Navigate to={paths.todo} replace /> },
  { path: '*', element: <Navigate to={paths.todo} replace /> },
];

const routes: RouteObject[] = [
  {
    element: <Pages />,
    errorElement: <PageFailure />,
    hydrateFallbackElement: <></>,
    children: [
      page(paths.login, 'LoginPage', () => import('./login/login-page')),
      page(paths.setup, 'SetupPage', () => import('./setup/setup-page')),
      page(paths.invitation, 'InvitationPage', () => import('./invitation/invitation-page')),
      page(paths.admin, 'Panel', () => import('./panel'), [
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
  keys: KeyRegistry;
}

/** Begins to load the page the address asks for, and the panel around it, side by side. */
export const openRouter = () => createBrowserRouter(routes, { basename: BASE });

export function App({ branding, session, router, keys }: AppProps) {
  return (
    <BrandingProvider branding={branding}>
      <SessionProvider value={session}>
        <KeyRegistryProvider value={keys}>
          <RouterProvider router={router} />
        </KeyRegistryProvider>
      </SessionProvider>
    </BrandingProvider>
  );
}
