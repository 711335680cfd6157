/** Start of the page where reporters come back. Must never load anything of the panel. */
import '../../shared/styles/tokens.css';
import '../../shared/styles/reset.css';
import { createRoot } from 'react-dom/client';
import { readBoot } from '../../shared/lib/boot';
import { Follow } from './follow';

const root = document.getElementById('root');
if (root === null) {
  throw new Error('the page carries no root element');
}
createRoot(root).render(<Follow boot={readBoot()} />);
