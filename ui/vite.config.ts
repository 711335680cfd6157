/** Build of the three pages the executable embeds. Must never put a script or a style inline: the CSP forbids both. */
import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { devSlots } from './tools/dev-slots.ts';
import { entryPreloads } from './tools/entry-preloads.ts';
import { entryStyles } from './tools/entry-styles.ts';
import { namedClasses } from './tools/named-classes.ts';

const here = import.meta.dirname;

export default defineConfig({
  base: '/paibeta/',
  plugins: [namedClasses(), react(), entryStyles(), entryPreloads(), devSlots()],
  publicDir: false,
  resolve: {
    // jsPDF can also draw web pages and pictures: 600 kB that the record of a report never calls.
    alias: [
      {
        find: /^(html2canvas|canvg|dompurify|fast-png)$/,
        replacement: resolve(here, 'src/admin/pdf/absent.ts'),
      },
    ],
  },
  // Long class names would be paid three times: in the style, in the script and in the prerendered page.
  css: { modules: { generateScopedName: 'c[hash:hex:5]' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    assetsInlineLimit: 0,
    // The helper costs each page more than it saves: the page links what its entry needs, the server the rest.
    modulePreload: false,
    rolldownOptions: {
      // What every page begins with is one file: apart, its pieces would be compressed apart.
      output: {
        // Names of files stand in the first scripts of all pages, and no compression shortens a hash.
        chunkFileNames: 'assets/[name]-[hash:7].js',
        codeSplitting: {
          groups: [
            {
              name: 'client',
              test: /\/(react|react-dom|scheduler)\/|preload-helper|shared\/(api|lib\/(boot|slug))/,
            },
            // Also what the login has in common with the rest of the panel.
            {
              name: 'ui',
              test: /shared\/ui\/(button|control|field|form|layout|password-input|message|spinner|text-)/,
            },
          ],
        },
      },
      onLog(level, log, report) {
        if (log.code === 'IMPORT_IS_UNDEFINED') {
          throw new Error(log.message);
        }
        report(level, log);
      },
      input: Object.fromEntries(
        ['public', 'seguito', 'admin'].map((name) => [name, resolve(here, `${name}.html`)]),
      ),
    },
  },
  server: {
    port: 5173,
    proxy: { '/paibeta/api': { target: process.env.SEGNALAZIONI_DEV_SERVER ?? 'http://127.0.0.1:8080' } },
  },
});
