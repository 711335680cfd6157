/**
 * Which characters a TrueType font can draw, read from the font itself. Must never guess: a character that jsPDF does
 * not find cuts the rest of its line off.
 */

/** Whether there is a glyph for that character, given as its code point. */
export type Covers = (code: number) => boolean;

/** Start of a table in the font file (OpenType, "Table directory"). */
function tableAt(font: DataView, name: string): number {
  const count = font.getUint16(4);
  for (let record = 12; record < 12 + count * 16; record += 16) {
    const letters = [0, 1, 2, 3].map((index) => font.getUint8(record + index));
    if (String.fromCharCode(...letters) === name) {
      return font.getUint32(record + 8);
    }
  }
  throw new Error(`the font has no table ${name}`);
}

/** The Unicode mapping that every font has: `cmap` of platform 3, encoding 1, in format 4 (OpenType, "cmap"). */
function mappingAt(font: DataView): number {
  const cmap = tableAt(font, 'cmap');
  const count = font.getUint16(cmap + 2);
  for (let record = cmap + 4; record < cmap + 4 + count * 8; record += 8) {
    const mapping = cmap + font.getUint32(record + 4);
    if (font.getUint16(record) === 3 && font.getUint16(record + 2) === 1 && font.getUint16(mapping) === 4) {
      return mapping;
    }
  }
  throw new Error('the font has no Unicode mapping of format 4');
}

/** Reads what a font covers. Characters above U+FFFF do not count: jsPDF cannot address them. */
export function coverageOf(bytes: ArrayBuffer): Covers {
  const font = new DataView(bytes);
  const mapping = mappingAt(font);
  const segments = font.getUint16(mapping + 6) / 2;
  const ends = mapping + 14;
  const starts = ends + segments * 2 + 2;
  const deltas = starts + segments * 2;
  const offsets = deltas + segments * 2;

  const glyphOf = (segment: number, code: number): number => {
    const start = font.getUint16(starts + segment * 2);
    const delta = font.getUint16(deltas + segment * 2);
    const offset = font.getUint16(offsets + segment * 2);
    if (offset === 0) {
      return (code + delta) & 0xffff;
    }
    const glyph = font.getUint16(offsets + segment * 2 + offset + (code - start) * 2);
    return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
  };
  return (code) => {
    for (let segment = 0; segment < segments; segment += 1) {
      if (code <= font.getUint16(ends + segment * 2)) {
        return code >= font.getUint16(starts + segment * 2) && glyphOf(segment, code) !== 0;
      }
    }
    return false;
  };
}
