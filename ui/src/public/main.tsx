/** Start of the public page: brings the prerendered shell to life. Must never load anything of the panel. */
import '../shared/styles/tokens.css';
import '../shared/styles/reset.css';
import '../shared/styles/bubble.css';
import './page.css';
import './sheets.css';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { readBoot, rootElement } from '../shared/lib/boot';
import { FAILED } from './messages';
import { Page } from './page';

const root = rootElement();

/** The last resort when the page itself breaks: says so and offers the way on, never what went wrong inside. */
function giveUp(error: unknown): void {
  const sentence = document.createElement('p');
  sentence.role = 'alert';
  sentence.textContent = FAILED;
  const reload = document.createElement('a');
  reload.href = window.location.href;
  reload.textContent = 'Ricarica la pagina';
  document.body.replaceChildren(sentence, reload);
  document.body.className = 'broken';
  reportError(error);
}

const page = <Page boot={readBoot()} />;

if (import.meta.env.DEV) {
  // The development server serves no shell to bring to life.
  createRoot(root, { onUncaughtError: giveUp }).render(page);
} else {
  hydrateRoot(root, page, { onUncaughtError: giveUp });
}
