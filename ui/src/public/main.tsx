/** Start of the public page. Must never load anything of the panel. */
import '../shared/styles/tokens.css';
import '../shared/styles/reset.css';
