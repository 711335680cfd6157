/** Entry of the newsroom's panel. Must never keep what was read from reports beyond the session that read it. */
import '../shared/styles/tokens.css';
import '../shared/styles/reset.css';
import { QueryClient } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { readBoot } from '../shared/lib/boot';
import { App } from './app';
import { dropAllDrafts } from './report/draft-keeper';
import { openSession } from './session/session-links';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // Polling tries again by itself, and the browser's idea of being online is wrong on local networks.
      retry: false,
      networkMode: 'always',
    },
  },
});

const session = openSession();
session.onEnd((reason) => {
  void client.cancelQueries();
  client.clear();
  if (reason === 'logout') {
    dropAllDrafts();
  }
});
// Asked at once, so that the answer travels while the page's code still loads.
if (window.location.pathname.startsWith(`${import.meta.env.BASE_URL}admin`)) {
  void session.check();
}

const root = document.getElementById('root');
if (!root) {
  throw new Error('the page has no root element');
}
createRoot(root).render(
  <StrictMode>
    <App branding={readBoot().branding} session={session} client={client} />
  </StrictMode>,
);
