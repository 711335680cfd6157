/**
 * Puts a .br and a .gz in the place of every asset of the build that they make smaller, and of the API's description, so that
 * the server compresses nothing and the executable holds nothing at its full length.
 * Must fail on a name without a hash of its content: browsers keep assets for a year without asking.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ui = join(import.meta.dirname, '..');
const assets = join(ui, 'dist', 'assets');
/** A file from which less than a tenth goes away is left as it is: pictures and fonts are compressed already. */
const WORTH = 0.9;

/** The file in both forms under `target`; whether that was worth it. */
function compress(file, target) {
  const bytes = readFileSync(file);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const forms = { br: brotliCompressSync(bytes, { params }), gz: gzipSync(bytes, { level: 9 }) };
  if (forms.gz.length >= bytes.length * WORTH) {
    return false;
  }
  for (const [ending, packed] of Object.entries(forms)) {
    writeFileSync(`${target}.${ending}`, packed);
  }
  return true;
}

for (const name of readdirSync(assets)) {
  if (!/-[\w-]{7,8}\.\w+$/.test(name)) {
    throw new Error(`${name}: its name carries no hash of its content`);
  }
  const file = join(assets, name);
  if (compress(file, file)) {
    rmSync(file);
  }
}
compress(join(ui, 'openapi.json'), join(ui, 'dist', 'openapi.json'));
