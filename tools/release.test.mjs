// What `make release` refuses before it builds anything, in a repository that holds no more than it looks at.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const LOOKED_AT = [
  ...['Cargo.toml', 'Cargo.lock', 'README.md', 'tools/release.sh'],
  ...['ui/package.json', 'ui/package-lock.json', 'ui/openapi.json'],
  ...['docs/AVVIO.md', 'docs/BENCH.md', 'docs/CHANGELOG.md'],
]
const VERSION = /^version = "(.*)"/m.exec(readFileSync(join(ROOT, 'Cargo.toml'), 'utf8'))[1]
let folder

const git = (...words) =>
  execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@example.org', ...words], { cwd: folder, encoding: 'utf8' }).trim()
const edit = (file, ...change) => {
  const path = join(folder, file)
  writeFileSync(path, readFileSync(path, 'utf8').replace(...change))
}
const commit = () => git('commit', '-q', '-a', '--allow-empty', '-m', 'A change')
const check = () => spawnSync('tools/release.sh', ['--check'], { cwd: folder, encoding: 'utf8' })

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-'))
  git('init', '-q')
  for (const file of LOOKED_AT) cpSync(join(ROOT, file), join(folder, file))
  git('add', '.')
  commit()
  edit('docs/BENCH.md', /Of commit \w+/, `Of commit ${git('rev-parse', '--short=12', 'HEAD')}`)
  commit()
  git('tag', `v${VERSION}`)
  git('tag', 'whole')
})
after(() => rmSync(folder, { recursive: true }))

test('a clean commit that bears the tag of its version is one', () => {
  const { status, stderr } = check()
  assert.equal(stderr, '')
  assert.equal(status, 0)
})

/** Makes a change, and gives the whole commit back afterwards. */
const refused = (title, change, ...said) =>
  test(title, () => {
    try {
      change()
      const { status, stderr } = check()
      assert.equal(status, 1)
      for (const words of said) assert.match(stderr, words)
      assert.equal(stderr.match(/^not a release/gm).length, said.length, stderr)
    } finally {
      git('reset', '-q', '--hard', 'whole')
      git('clean', '-q', '-f')
      for (const tag of git('tag', '--list', 'v*').split('\n').filter(Boolean)) git('tag', '-d', tag)
      git('tag', `v${VERSION}`, 'whole')
    }
  })
/** The same of a commit, which is tagged. */
const refusedCommit = (title, change, ...said) =>
  refused(title, () => (change(), commit(), git('tag', '-f', `v${VERSION}`)), ...said)

refused('a changed file', () => edit('README.md', '#', '##'), /the tree is not clean:\n M README\.md/)
refused('a file that is in no commit', () => writeFileSync(join(folder, 'new'), ''), /the tree is not clean:\n\?\? new/)
refused('no tag', () => git('tag', '-d', `v${VERSION}`), /is tagged nothing instead of v/)
refused('a tag on the commit before', commit, /is tagged nothing instead of v/)
refused('a second tag', () => git('tag', '-f', 'v9.9.9'), /is tagged v[^]*\nv9\.9\.9 instead of v/)
refusedCommit(
  'a version that nothing else bears',
  () => edit('Cargo.toml', `version = "${VERSION}"`, 'version = "9.9.9"'),
  ...[/Cargo\.toml says 9\.9\.9, and this commit is tagged v/, /Cargo\.lock says/, /package\.json says/, /package-lock\.json says/],
  ...[/openapi\.json says/, /CHANGELOG\.md says/, /README\.md says/, /AVVIO\.md says/],
)
refusedCommit(
  'a changelog without the version',
  () => edit('docs/CHANGELOG.md', `## ${VERSION}`, '## Unreleased'),
  /CHANGELOG\.md says Unreleased instead of/,
)
refusedCommit(
  'a changelog whose newest version is another',
  () => edit('docs/CHANGELOG.md', '## ', '## 9.9.9\n\n## '),
  /CHANGELOG\.md says 9\.9\.9 instead of/,
)
refusedCommit('no figures', () => edit('docs/BENCH.md', /Of commit \w+/, ''), /has figures of no commit/)
refusedCommit(
  'figures of a commit that is elsewhere',
  () => edit('docs/BENCH.md', /Of commit \w+/, 'Of commit 0123456789ab'),
  /has figures of 0123456789ab, which is none/,
)
