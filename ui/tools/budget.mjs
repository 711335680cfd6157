/**
 * Weighs what a visitor downloads, in brotli bytes, against budgets.json, over Vite's manifest.
 * Must fail when a page or an entry is missing: a budget of nothing is always kept.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const dist = join(import.meta.dirname, '..', 'dist');
const budgets = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'budgets.json'), 'utf8'));
const manifest = JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8'));

const sizes = new Map();
function weigh(file) {
  if (!sizes.has(file)) {
    const bytes = readFileSync(join(dist, file));
    const packed = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
    sizes.set(file, packed.length);
  }
  return sizes.get(file);
}

/** Files of a manifest key and of everything it imports at once. */
function closure(key, seen = new Set()) {
  const chunk = manifest[key];
  if (chunk === undefined) {
    throw new Error(`${key} is missing from the manifest`);
  }
  if (!seen.has(chunk.file)) {
    seen.add(chunk.file);
    for (const imported of chunk.imports ?? []) {
      closure(imported, seen);
    }
  }
  return seen;
}

const total = (files) => [...files].reduce((sum, file) => sum + weigh(file), 0);
const rows = [];
const check = (name, bytes, limit) => rows.push({ name, bytes, limit, over: bytes > limit });

for (const entry of ['public', 'seguito', 'admin']) {
  if (manifest[`${entry}.html`]?.isEntry !== true) {
    throw new Error(`${entry}.html is no entry of the build`);
  }
  check(`${entry} html`, weigh(`${entry}.html`), budgets[entry].html);
  check(`${entry} css`, weigh(`${entry}.css`), budgets[entry].css);
  const needed = closure(`${entry}.html`);
  const parts = Object.values(manifest).filter(({ file }) => needed.has(file));
  const fonts = new Set(parts.flatMap(({ assets = [] }) => assets));
  if (![...fonts].some((file) => file.endsWith('.woff2'))) {
    throw new Error(`${entry}.html has no font`);
  }
  check(`${entry} fonts`, total(fonts), budgets.fonts);
}
check('public js', total(closure('public.html')), budgets.public.js);
check('seguito js', total(closure('seguito.html')), budgets.seguito.js);

const start = closure('admin.html');
const routes = manifest['admin.html'].dynamicImports ?? [];
if (routes.length === 0) {
  check('admin js', total(start), budgets.admin.route);
}
for (const route of routes) {
  const login = /\/login\//.test(route);
  check(
    `admin js ${route}`,
    total(closure(route, new Set(start))),
    login ? budgets.admin.login : budgets.admin.route,
  );
}

// What a click on 'Stampa PDF' adds to the page it is on: never a part of what a page loads by itself.
const PDF = 'src/admin/pdf/make-record.ts';
const REPORT = 'src/admin/report/report-page.tsx';
if (!manifest[REPORT]?.dynamicImports?.includes(PDF) || closure(REPORT).has(manifest[PDF].file)) {
  throw new Error(`${PDF} does not load on demand`);
}
const before = closure(REPORT, new Set(start));
const added = [...closure(PDF, new Set(before))].filter((file) => !before.has(file));
check('admin js after the click on PDF', total(added), budgets.admin.pdf);
const fonts = manifest[PDF].assets ?? [];
if (fonts.length !== 1) {
  throw new Error(`${fonts.length} fonts for the PDF instead of one`);
}
check('font after the click on PDF', total(fonts), budgets.admin.pdfFont);

const assets = readdirSync(join(dist, 'assets'))
  .filter((name) => !/\.(br|gz)$/.test(name))
  .map((name) => readFileSync(join(dist, 'assets', name)).length);
check(
  'all assets, raw',
  assets.reduce((sum, bytes) => sum + bytes, 0),
  budgets.assetsRaw,
);

for (const { name, bytes, limit, over } of rows) {
  console.log(
    `${over ? 'OVER' : '  ok'} ${String(bytes).padStart(7)} / ${String(limit).padStart(7)}  ${name}`,
  );
}
process.exitCode = rows.some((row) => row.over) ? 1 : 0;
