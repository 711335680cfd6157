/**
 * Writes a .br and a .gz beside every asset of the build that they make smaller, so that the server compresses nothing.
 * Must fail on a name without a hash of its content: browsers keep assets for a year without asking.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const assets = join(import.meta.dirname, '..', 'dist', 'assets');
/** A file from which less than a tenth goes away is left as it is: pictures and fonts are compressed already. */
const WORTH = 0.9;

for (const name of readdirSync(assets).filter((file) => !/\.(br|gz)$/.test(file))) {
  if (!/-[\w-]{8}\.\w+$/.test(name)) {
    throw new Error(`${name}: its name carries no hash of its content`);
  }
  const bytes = readFileSync(join(assets, name));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const forms = { br: brotliCompressSync(bytes, { params }), gz: gzipSync(bytes, { level: 9 }) };
  for (const [ending, packed] of Object.entries(forms)) {
    if (packed.length < bytes.length * WORTH) {
      writeFileSync(join(assets, `${name}.${ending}`), packed);
    }
  }
}
