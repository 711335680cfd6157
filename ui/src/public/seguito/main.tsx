/** Start of the page where reporters come back. Must never load anything of the panel. */
import '../../shared/styles/tokens.css';
import '../../shared/styles/reset.css';
import '../page.css';
import { createRoot } from 'react-dom/client';
import { readBoot, rootElement } from '../../shared/lib/boot';
import { Follow } from './follow';

// The form without a script asks for this code, which may already be filled in.
const plain = document.querySelector('.plain');
const typed = plain?.querySelector('input')?.value ?? '';
plain?.remove();
createRoot(rootElement()).render(<Follow boot={readBoot()} typed={typed} />);
