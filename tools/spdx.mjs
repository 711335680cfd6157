// Which licences a program under MIT may contain, and whether an SPDX expression can be met with them.

/**
 * What a program under MIT may contain, in the order in which one of several is chosen. MPL-2.0 asks for the source of the
 * files under it, which are unchanged here; CDLA-Permissive-2.0 is a licence of data (the list of certificate authorities).
 */
export const ALLOWED = [
  'MIT',
  'MIT-0',
  '0BSD',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Zlib',
  'Unicode-3.0',
  'Apache-2.0',
  'Apache-2.0 WITH LLVM-exception',
  'CDLA-Permissive-2.0',
  'MPL-2.0',
]

/**
 * The licences to comply with, when an SPDX expression can be met with allowed ones; else null. `/` is how crates wrote
 * OR before SPDX.
 * @param {string} expression
 * @returns {string[] | null}
 */
export function met(expression) {
  const words = expression.replaceAll('/', ' OR ').match(/\(|\)|[^\s()]+/g) ?? []
  let at = 0
  const term = () => {
    if (words[at] === '(') {
      at += 1
      const inner = either()
      at += 1
      return inner
    }
    // A name is what stands up to the next operator: free texts have several words.
    const name = []
    while (at < words.length && !['AND', 'OR', '(', ')'].includes(words[at])) {
      name.push(words[at])
      at += 1
    }
    return ALLOWED.includes(name.join(' ')) ? [name.join(' ')] : null
  }
  const all = () => {
    let needed = term()
    while (words[at] === 'AND') {
      at += 1
      const more = term()
      needed = needed && more && [...needed, ...more]
    }
    return needed
  }
  const either = () => {
    const ways = [all()]
    while (words[at] === 'OR') {
      at += 1
      ways.push(all())
    }
    const rank = (way) => Math.max(...way.map((name) => ALLOWED.indexOf(name)))
    return ways.filter((way) => way !== null).sort((one, other) => rank(one) - rank(other))[0] ?? null
  }
  const found = either()
  return at === words.length ? found : null
}
