interface Part {
  key: number;
  part: string;
  found: boolean;
}

/** A text, cut where one of the `needles` stands in it, whatever its case. The parts put together are the text. */
export function partsAt(text: string, needles: readonly string[]): Part[] {
  const wanted = needles.filter((needle) => needle.trim() !== '');
  if (wanted.length === 0) {
    return [{ key: 0, part: text, found: false }];
  }
  const escaped = wanted
    .toSorted((one, other) => other.length - one.length)
    .map((needle) => needle.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+'));
  const cut = text.split(new RegExp(`(${escaped.join('|')})`, 'giu'));
  return cut.map((part, key) => ({ key, part, found: key % 2 === 1 }));
}
