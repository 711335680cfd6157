/** Entry of the newsroom's panel. Must never wait for one thing before asking for the next. */
import '../shared/styles/tokens.css';
import '../shared/styles/tones.css';
import '../shared/styles/reset.css';
import '../shared/styles/bubble.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { readBoot, rootElement } from '../shared/lib/boot';
import { App, BASE, openRouter } from './app';
import { openKeys } from './common/keys/registry';
import { ownTheme } from './common/own-theme';
import { paths } from './common/paths';
import { openSession } from './common/session/session-context';

const theme = ownTheme();
if (theme) {
  document.documentElement.dataset.theme = theme;
}
const session = openSession();
// A one-time link is followed without a session, or with that of another person.
if (![paths.setup, paths.invitation].some((path) => window.location.pathname.startsWith(BASE + path))) {
  void session.check();
}
const router = openRouter();
const keys = openKeys(router);

createRoot(rootElement()).render(
  <StrictMode>
    <App branding={readBoot().branding} session={session} router={router} keys={keys} />
  </StrictMode>,
);
