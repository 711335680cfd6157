/** Must find the address that the server names in its warning, and nothing where it names none. */

const ADDRESS = /(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]*:[0-9a-f:.]+/i;

export function addressIn(sentence: string): string | undefined {
  return ADDRESS.exec(sentence)?.[0];
}
