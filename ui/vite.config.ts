/** Build of the two pages the executable embeds. Must never put a script or a style inline: the CSP forbids both. */
import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { devSlots } from './tools/dev-slots.ts';
import { entryStyles } from './tools/entry-styles.ts';

const here = import.meta.dirname;

export default defineConfig({
  base: '/paibeta/',
  plugins: [react(), entryStyles(), devSlots()],
  publicDir: false,
  // Long class names would be paid three times: in the style, in the script and in the prerendered page.
  css: { modules: { generateScopedName: 'c[hash:hex:5]' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { public: resolve(here, 'public.html'), admin: resolve(here, 'admin.html') },
    },
  },
  server: {
    port: 5173,
    proxy: { '/paibeta/api': { target: process.env.SEGNALAZIONI_DEV_SERVER ?? 'http://127.0.0.1:8080' } },
  },
});
