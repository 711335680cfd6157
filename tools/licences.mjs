// The licences of everything that is in the executable: Rust crates, npm packages of the interface, the fonts.
//   node tools/licences.mjs               fails when one is under a licence that spdx.mjs does not allow, and says which
//   node tools/licences.mjs --write FILE  also writes every text
//   node tools/licences.mjs --debian FILE also writes Debian's copyright file, in the form that machines read
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

/** Every text once with the packages that it holds for, and the packages that come without any. */
function grouped(packages) {
  const holders = new Map()
  const without = []
  for (const found of packages) {
    const own = texts(found)
    if (own.length === 0) without.push(found)
    for (const text of own) {
      // The same words broken into other lines are the same licence.
      const key = text.replace(/\s+/g, ' ')
      const entry = holders.get(key) ?? { text, names: [], needed: found.needed }
      entry.names.push(found.name)
      holders.set(key, entry)
    }
  }
  const font = (name, folder) => ({
    text: readFileSync(join(ROOT, 'ui/src', folder, 'LICENSE'), 'utf8').trim(),
    names: [name],
    needed: ['font licence'],
  })
  const fonts = [
    font('Atkinson Hyperlegible Next (font of the pages)', 'shared/font'),
    font('DejaVu Sans (font of the printed record)', 'admin/pdf/font'),
  ]
  return { holders: [...fonts, ...holders.values()], without }
}

const SQLITE = 'The authors of SQLite disclaim copyright to it: it is in the public domain.'
const OURS = readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim()
const unnamed = (without) =>
  without.map(({ name, needed, authors }) => `${name}: ${needed.join(' and ')}${authors === '' ? '' : `; ${authors}`}`)

/** Ours, then every text with the packages that it holds for. */
function plain(packages) {
  const { holders, without } = grouped(packages)
  const rule = '-'.repeat(78)
  const part = (title, text) => `${rule}\n${title}\n${rule}\n\n${text}\n`
  return [
    `segnalazioni\n\n${OURS}\n`,
    'The executable contains the works below, under their own licences.\n',
    part('SQLite', SQLITE),
    ...holders.map(({ text, names }) => part(names.join('\n'), text)),
    part('Packages that state their licence without its text', unnamed(without).join('\n')),
  ].join('\n')
}

/** The same as Debian's machine-readable copyright file. The Apache License is named where Debian keeps it. */
function debian(packages) {
  const { holders, without } = grouped(packages)
  const indented = (text) => text.split('\n').map((line) => ` ${line.trimEnd() || '.'}`)
  const apache = 'The Apache License 2.0, whose text is in /usr/share/common-licenses/Apache-2.0.'
  const place = (name) => name.replace(/ \((.*)\)$/, '').replace(/[^\w.@/-]+/g, '-')
  const paragraph = (files, text, name) => {
    const copyrights = [...new Set(text.split('\n').map((line) => line.trim()))].filter((line) => /^copyright\b.*\d/i.test(line))
    const shown = /TERMS AND CONDITIONS FOR USE, REPRODUCTION/.test(text) ? apache : text
    return [
      `Files: ${files.join('\n ')}`,
      `Copyright: ${copyrights.join('\n ') || 'its authors, as the text says'}`,
      `License: ${name}`,
      ...indented(shown),
    ].join('\n')
  }
  const inside = (name) => `inside/${place(name)}/*`
  return [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: segnalazioni\n' +
      'Comment: What stands below inside/ is part of the executable, under its own licence.',
    paragraph(['*'], OURS, 'MIT'),
    paragraph([inside('SQLite')], SQLITE, 'public-domain'),
    ...holders.map(({ text, names, needed }, n) =>
      paragraph(names.map(inside), text, `${needed.join('-and-').replace(/ /g, '-')}-${n + 1}`),
    ),
    ...without.map(({ name, needed, authors }) =>
      paragraph([inside(name)], `Its licence is ${needed.join(' and ')}; its source comes without the text. ${authors}`, `stated-${place(name)}`),
    ),
  ].join('\n\n') + '\n'
}

const { values } = parseArgs({ options: { write: { type: 'string' }, debian: { type: 'string' } } })
const packages = [...crates(), ...npmPackages()].map((found) => ({ ...found, needed: met(found.expression) }))
const foreign = packages.filter(({ needed }) => needed === null)
for (const { name, expression } of foreign) {
  console.error(`${name}: «${expression}» cannot be met with the licences that tools/spdx.mjs allows`)
}
if (foreign.length > 0) process.exit(1)
if (values.write !== undefined) writeFileSync(values.write, plain(packages))
if (values.debian !== undefined) writeFileSync(values.debian, debian(packages))
const count = new Map()
for (const { needed } of packages) {
  const name = needed.join(' AND ')
  count.set(name, (count.get(name) ?? 0) + 1)
}
console.log([...count].map(([name, number]) => `${number} ${name}`).join(', '))
