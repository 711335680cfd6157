/**
 * Renders the public page into dist/public.html, so that it is readable before any script arrives.
 * Must never leave a style attribute or a class without a rule behind: the CSP blocks the one, the other is a build
 * whose two halves disagree.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';

const ui = join(import.meta.dirname, '..');
const target = join(ui, 'node_modules', '.prerender');
const MARK = '<!--app-->';
/** Each must be in the page, or the server would have nothing to fill. */
const SLOTS = [
  '__FILES__',
  '__RECEIPTS__',
  '__CALLOUT_TITLE__',
  '__CALLOUT_INTRO__',
  '__CALLOUT_CLOSED__',
  '__DATABASE__',
  '__DEMO_NOTICE__',
  '__EXPLAIN__',
  '__AFTERWARDS__',
  '__PRIVACY_TEXT__',
  '__PRIVACY_URL__',
  '__BOOT__',
  '__STYLE__',
  '__CSS__',
];

function fail(reason) {
  console.error(`prerender: ${reason}`);
  process.exit(1);
}

await build({
  configFile: join(ui, 'vite.config.ts'),
  root: ui,
  logLevel: 'warn',
  build: { ssr: join(ui, 'src/public/prerender.tsx'), outDir: target, manifest: false },
});
const { renderShell } = await import(pathToFileURL(join(target, 'prerender.js')).href);
await rm(target, { recursive: true });

const file = join(ui, 'dist', 'public.html');
const [page, css] = await Promise.all([
  readFile(file, 'utf8'),
  readFile(join(ui, 'dist', 'public.css'), 'utf8'),
]);
if (page.split(MARK).length !== 2) {
  fail(`dist/public.html must hold ${MARK} once`);
}
const shell = renderShell();
const classes = [...shell.matchAll(/class="([^"]+)"/g)].flatMap((match) => match[1].split(' '));
const unknown = classes.filter((name) => !css.includes(`.${name}`));
if (classes.length === 0 || unknown.length > 0) {
  fail(`classes without a rule in dist/public.css: ${unknown.join(', ') || 'all'}`);
}
if (/\sstyle="|<style/.test(shell)) {
  fail('the shell carries a style, which the CSP blocks');
}
// The styles stand in the page: a file of their own would keep it blank for one more way to the server and back.
const LINK = /<link rel="stylesheet" href="([^"]*\/style\/[^"]*)"\s*\/>/;
const html = page
  .replace(MARK, () => shell)
  .replace(LINK, (_, address) => `<style data-href="${address}">__CSS__</style>`);
const missing = SLOTS.filter((slot) => !html.includes(slot));
if (missing.length > 0) {
  fail(`slots missing from the page: ${missing.join(', ')}`);
}
await writeFile(file, html);
