/**
 * The placeholders of a phrase, found and filled in as the server does. Must never expand what a value holds, nor be
 * taken for the check itself: the server's refusal counts.
 */

export const PLACEHOLDERS = ['name', 'org', 'minChars', 'minWords'] as const;

export type Placeholder = (typeof PLACEHOLDERS)[number];

export type PlaceholderValues = Readonly<Record<Placeholder, string>>;

export const PLACEHOLDER_MEANINGS: Readonly<Record<Placeholder, string>> = {
  name: 'Nome dell’assistente',
  org: 'Nome della redazione',
  minChars: 'Caratteri minimi del racconto',
  minWords: 'Parole minime del racconto',
};

/** Longest phrase, in characters (PRODUCT.md §7). */
export const PHRASE_MAX = 2000;

/** Most characters of a wrong placeholder that a message shows. */
const EXCERPT = 30;

const KNOWN = new RegExp(`\\{(${PLACEHOLDERS.join('|')})\\}`, 'g');

/** The phrase as it is said. One pass: braces inside a value are said as they are. */
export function fillIn(phrase: string, values: PlaceholderValues): string {
  return phrase.replace(KNOWN, (_, name: Placeholder) => values[name]);
}

/** The first brace that is no part of a known placeholder, with what it opens; undefined when there is none. */
function unknownPlaceholder(phrase: string): string | undefined {
  let open = phrase.indexOf('{');
  while (open >= 0) {
    const close = phrase.indexOf('}', open);
    const braced = close < 0 ? phrase.slice(open) : phrase.slice(open, close + 1);
    if (!PLACEHOLDERS.some((name) => braced === `{${name}}`)) {
      const characters = [...braced];
      return characters.length > EXCERPT ? `${characters.slice(0, EXCERPT).join('')}…` : braced;
    }
    open = phrase.indexOf('{', close);
  }
  return undefined;
}

/** What is wrong with a phrase while it is typed, in the server's words; undefined when nothing can be seen from here. */
export function faultOfPhrase(phrase: string): string | undefined {
  if (phrase.trim() === '') {
    return 'Il testo non può essere vuoto.';
  }
  const length = [...phrase].length;
  if (length > PHRASE_MAX) {
    return `Il testo è troppo lungo: al massimo ${PHRASE_MAX} caratteri, sono ${length}.`;
  }
  const unknown = unknownPlaceholder(phrase);
  const known = PLACEHOLDERS.map((name) => `{${name}}`).join(', ');
  return unknown === undefined ? undefined : `Segnaposto sconosciuto: ${unknown}. Puoi usare ${known}.`;
}
