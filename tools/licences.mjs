// The licences of everything that is in the executable: Rust crates, npm packages of the interface, the fonts.
//   node tools/licences.mjs               fails when one is under a licence that spdx.mjs does not allow, and says which
//   node tools/licences.mjs --write FILE  also writes Debian's copyright file, with every text
// Reads what cargo and npm have fetched already; downloads nothing.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { met } from './spdx.mjs'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Files in which a package puts what its licence asks to be passed on. */
const TEXT = /^(licen[cs]e|copying|notice|copyright)([-_.].*)?$/i

/** The crates that the executable is linked from, and those that made code for it. */
function crates() {
  const command = ['metadata', '--locked', '--format-version', '1', '--filter-platform', hostTriple()]
  const metadata = JSON.parse(execFileSync('cargo', command, { cwd: ROOT, maxBuffer: 1 << 28 }).toString())
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]))
  const reached = new Set()
  const visit = (id) => {
    if (reached.has(id)) return
    reached.add(id)
    for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps) {
      if (kinds.some(({ kind }) => kind === null)) visit(pkg)
    }
  }
  visit(metadata.resolve.root)
  return metadata.packages
    .filter(({ id }) => reached.has(id) && id !== metadata.resolve.root)
    .map(({ name, version, license, authors, manifest_path: manifest }) => ({
      name: `${name} ${version} (crate)`,
      expression: license ?? '',
      authors: authors.join(', '),
      folder: dirname(manifest),
    }))
}

function hostTriple() {
  const said = execFileSync('rustc', ['-vV']).toString()
  return said.match(/^host: (.+)$/m)[1]
}

/** What tus-js-client imports under Node alone, and so no page loads. */
const NODE_ONLY = new Set([
  'buffer-from',
  'combine-errors',
  'custom-error-instance',
  'graceful-fs',
  'is-stream',
  'lodash.throttle',
  'lodash.uniqby',
  'proper-lockfile',
  'retry',
  'signal-exit',
])

/** The packages that the pages may load: neither tools, nor types, nor what is left out of the build as optional. */
function npmPackages() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'ui/package-lock.json'), 'utf8'))
  return Object.entries(packages)
    .filter(([path, { dev, optional }]) => path !== '' && !dev && !optional && !path.includes('/@types/'))
    .filter(([path]) => !NODE_ONLY.has(path.split('node_modules/').pop()))
    .map(([path, { version, license }]) => ({
      name: `${path.split('node_modules/').pop()} ${version} (npm)`,
      expression: license ?? '',
      authors: '',
      folder: join(ROOT, 'ui', path),
    }))
}

/** The texts that come with a package; of several licences only those of the chosen ones, where the names tell. */
function texts({ folder, needed }) {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => TEXT.test(file)) : []
  const chosen = files.filter((file) => needed.some((name) => file.toUpperCase().endsWith(`-${name.split('-')[0]}`)))
  const picked = chosen.length > 0 ? chosen : files
  return picked.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim())
}

/** Debian's copyright file: ours, then every text with the packages that it holds for. */
function copyright(packages) {
  const holders = new Map()
  const without = []
  for (const found of packages) {
    const own = texts(found)
    if (own.length === 0) without.push(found)
    for (const text of own) {
      // The same words broken into other lines are the same licence.
      const key = text.replace(/\s+/g, ' ')
      const entry = holders.get(key) ?? { text, names: [] }
      entry.names.push(found.name)
      holders.set(key, entry)
    }
  }
  const rule = '-'.repeat(78)
  const part = (title, text) => `${rule}\n${title}\n${rule}\n\n${text}\n`
  const licence = (folder) => readFileSync(join(ROOT, 'ui/src', folder, 'LICENSE'), 'utf8').trim()
  const sqlite = 'The authors of SQLite disclaim copyright to it: it is in the public domain.'
  const unnamed = without.map(
    ({ name, needed, authors }) => `${name}: ${needed.join(' and ')}${authors === '' ? '' : `; ${authors}`}`,
  )
  return [
    `segnalazioni\n\n${readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim()}\n`,
    'The executable contains the works below, under their own licences. The text of the Apache License is also in\n' +
      '/usr/share/common-licenses/Apache-2.0.\n',
    part('Atkinson Hyperlegible Next (font of the pages)', licence('shared/font')),
    part('DejaVu Sans (font of the printed record)', licence('admin/pdf/font')),
    part('SQLite', sqlite),
    ...[...holders.values()].map(({ text, names }) => part(names.join('\n'), text)),
    part('Packages that state their licence without its text', unnamed.join('\n')),
  ].join('\n')
}

const { values } = parseArgs({ options: { write: { type: 'string' } } })
const packages = [...crates(), ...npmPackages()].map((found) => ({ ...found, needed: met(found.expression) }))
const foreign = packages.filter(({ needed }) => needed === null)
for (const { name, expression } of foreign) {
  console.error(`${name}: «${expression}» cannot be met with the licences that tools/spdx.mjs allows`)
}
if (foreign.length > 0) process.exit(1)
if (values.write !== undefined) writeFileSync(values.write, copyright(packages))
const count = new Map()
for (const { needed } of packages) {
  const name = needed.join(' AND ')
  count.set(name, (count.get(name) ?? 0) + 1)
}
console.log([...count].map(([name, number]) => `${number} ${name}`).join(', '))
