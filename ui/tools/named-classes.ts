/**
 * For the public page, whose every byte is weighed: turns `import styles from './x.module.css'` into a namespace import while building: each class becomes a plain string
 * in the script, and a class that no stylesheet knows fails the build. Must never change what the code means.
 */
import type { Plugin } from 'vite';

const IMPORT = /\bimport (\w+) from (['"][^'"]+\.module\.css['"])/g;

export function namedClasses(): Plugin {
  return {
    name: 'named-classes',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/src\/public\/.*\.tsx$/ },
      handler: (code) => ({ code: code.replace(IMPORT, 'import * as $1 from $2'), map: null }),
    },
  };
}
