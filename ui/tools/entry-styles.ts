/**
 * Gathers all styles of an entry into one file with a fixed name (`public.css`, `seguito.css`, `admin.css`), which the server serves
 * with the newsroom's colours appended. Must never leave a stylesheet in `assets/`: a chunk would then ask for a file
 * that the page does not link.
 */
import type { Plugin, Rolldown } from 'vite';

type Bundle = Rolldown.OutputBundle;

/** What Vite leaves behind in each part. */
const MARK = '/*$vite$:1*/';

/** Every chunk an entry can load, in load order: static imports before the chunk, lazy ones after it. */
function chunksOf(bundle: Bundle, name: string, seen = new Set<string>()): Rolldown.OutputChunk[] {
  const chunk = bundle[name];
  if (chunk?.type !== 'chunk' || seen.has(name)) {
    return [];
  }
  seen.add(name);
  const before = chunk.imports.flatMap((file) => chunksOf(bundle, file, seen));
  const after = chunk.dynamicImports.flatMap((file) => chunksOf(bundle, file, seen));
  return [...before, chunk, ...after];
}

function sourceOf(bundle: Bundle, file: string): string {
  const asset = bundle[file];
  if (asset?.type !== 'asset') {
    throw new Error(`stylesheet ${file} is missing from the bundle`);
  }
  return typeof asset.source === 'string' ? asset.source : new TextDecoder().decode(asset.source);
}

export function entryStyles(): Plugin {
  return {
    name: 'entry-styles',
    apply: (_config, { command, isSsrBuild }) => command === 'build' && isSsrBuild !== true,
    enforce: 'pre',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((item) => item.type === 'chunk');
      const used = new Set<string>();
      for (const entry of chunks.filter((chunk) => chunk.isEntry)) {
        const files = new Set(
          chunksOf(bundle, entry.fileName).flatMap((chunk) => [...(chunk.viteMetadata?.importedCss ?? [])]),
        );
        const css = [...files].map((file) => sourceOf(bundle, file)).join('');
        const source = css.replaceAll(MARK, '');
        for (const file of files) {
          used.add(file);
        }
        this.emitFile({ type: 'asset', fileName: `${entry.name}.css`, source });
      }
      for (const chunk of chunks) {
        chunk.viteMetadata?.importedCss.clear();
      }
      for (const file of used) {
        delete bundle[file];
      }
    },
  };
}
