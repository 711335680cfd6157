/** Links, in each page, the scripts that its entry imports, so that they load beside it and not after it. */
import type { HtmlTagDescriptor, Plugin } from 'vite';

export function entryPreloads(): Plugin {
  return {
    name: 'entry-preloads',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { chunk }) =>
        (chunk?.imports ?? []).map(
          (file): HtmlTagDescriptor => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/paibeta/${file}` },
            injectTo: 'head',
          }),
        ),
    },
  };
}
