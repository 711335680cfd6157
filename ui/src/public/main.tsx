/** Start of the public page: brings the prerendered shell to life. Must never load anything of the panel. */
import '../shared/styles/tokens.css';
import '../shared/styles/reset.css';
import './page.css';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { readBoot } from '../shared/lib/boot';
import { ErrorBoundary } from './error-boundary';
import { Page } from './page';

const root = document.getElementById('root');
if (root === null) {
  throw new Error('the page carries no root element');
}

const page = (
  <ErrorBoundary>
    <Page boot={readBoot()} />
  </ErrorBoundary>
);

if (import.meta.env.DEV) {
  // The development server serves no shell to bring to life.
  createRoot(root).render(page);
} else {
  hydrateRoot(root, page);
}
