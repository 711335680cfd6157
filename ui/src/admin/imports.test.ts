/** Which way the folders of the panel import each other (ARCHITECTURE.md, 'The interface'). */
import { describe, expect, it } from 'vitest';

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'));

/** Pairs of folders that import each other, with a file of either way. */
function mutualImports(sources: Readonly<Record<string, string>>): string[] {
  const ways = new Map<string, string>();
  for (const [path, source] of Object.entries(sources)) {
    for (const [, target] of source.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
      const to = folderOf(new URL(target ?? '', `file://${path}`).pathname);
      ways.set(`${folderOf(path)} → ${to}`, path);
    }
  }
  return [...ways].flatMap(([way, file]) => {
    const [from = '', to = ''] = way.split(' → ');
    const back = ways.get(`${to} → ${from}`);
    return from < to && back ? [`${from} ⇄ ${to}: ${file}, ${back}`] : [];
  });
}

const SOURCES = import.meta.glob<string>(['/src/admin/**/*.{ts,tsx}', '!**/*.test.*'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

describe('folders of the panel', () => {
  it('never import each other', () => {
    expect(Object.keys(SOURCES)).toContain('/src/admin/app.tsx');
    expect(mutualImports(SOURCES)).toEqual([]);
  });

  it('are found where they do, also by what is loaded later', () => {
    const sources = {
      '/src/admin/a/one.ts': "import { two } from '../b/two';\nimport './style.css';",
      '/src/admin/b/two.ts': "export const load = () => import('../a/one');\nimport { c } from '../c/c';",
      '/src/admin/c/c.ts': "import { lib } from '../../shared/lib/text';",
    };
    expect(mutualImports(sources)).toEqual([
      '/src/admin/a ⇄ /src/admin/b: /src/admin/a/one.ts, /src/admin/b/two.ts',
    ]);
  });
});
