/** File names and storage keys of the product. Must give what the server gives for the same name. */

/** The product name as it appears in file names and storage keys: `PelazzAI` gives `pelazzai`. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'segnalazioni';
}
