// Which expressions are met, and with what.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { met } from './spdx.mjs'

test('an allowed licence is met, and of several the first in order is chosen', () => {
  for (const [expression, needed] of [
    ['MIT', ['MIT']],
    ['Apache-2.0 OR MIT', ['MIT']],
    ['MIT/Apache-2.0', ['MIT']],
    ['(MIT AND Zlib)', ['MIT', 'Zlib']],
    ['(MIT OR Apache-2.0) AND Unicode-3.0', ['MIT', 'Unicode-3.0']],
    ['Apache-2.0 WITH LLVM-exception OR GPL-2.0', ['Apache-2.0 WITH LLVM-exception']],
    ['MIT OR SEE LICENSE IN FEEL-FREE.md', ['MIT']],
    ['GPL-3.0-only OR (ISC AND BSD-3-Clause)', ['ISC', 'BSD-3-Clause']],
  ]) {
    assert.deepEqual(met(expression), needed, expression)
  }
})

test('a foreign licence is not, nor one that nobody names', () => {
  for (const expression of [
    '',
    'GPL-3.0-only',
    'AGPL-3.0-or-later OR LGPL-3.0-only',
    'MIT AND GPL-2.0-only',
    'Apache-2.0 WITH Commons-Clause',
    'UNLICENSED',
    'SEE LICENSE IN LICENSE.md',
    'MIT)',
    'mit',
  ]) {
    assert.equal(met(expression), null, expression)
  }
})
