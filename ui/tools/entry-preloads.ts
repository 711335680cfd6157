/**
 * Links, in each page, the scripts that its entry imports, so that they load beside it and not after it. A page that shows
 * itself without them (`prerender.mjs`) asks for them behind what it shows. Must never leave out a script that an entry imports.
 */
import type { HtmlTagDescriptor, Plugin } from 'vite';

export function entryPreloads(): Plugin {
  return {
    name: 'entry-preloads',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { chunk }) => {
        const behind = html.includes('<!--app-->');
        return {
          html: behind
            ? html.replace('<script type="module"', '<script type="module" fetchpriority="low"')
            : html,
          tags: (chunk?.imports ?? []).map(
            (file): HtmlTagDescriptor => ({
              tag: 'link',
              attrs: {
                rel: 'modulepreload',
                crossorigin: true,
                href: `/paibeta/${file}`,
                ...(behind && { fetchpriority: 'low' }),
              },
              injectTo: 'head',
            }),
          ),
        };
      },
    },
  };
}
