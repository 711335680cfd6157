/** Lines and pages of the record: where a text breaks. Must lose no character but the blanks at which a line breaks. */

const graphemes = new Intl.Segmenter('it', { granularity: 'grapheme' });

/** Width of a text in millimetres. */
export type Measure = (text: string) => number;

/** Pieces of a word that each fit the width; letters are kept together with their marks. */
function cut(word: string, measure: Measure, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const { segment } of graphemes.segment(word)) {
    const more = measure(segment);
    if (piece !== '' && used + more > width) {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += segment;
    used += more;
  }
  return [...pieces, piece];
}

function wrapParagraph(paragraph: string, measure: Measure, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const token of paragraph.match(/\s+|\S+/gu) ?? []) {
    const more = measure(token);
    const blank = /^\s/u.test(token);
    if (used + more <= width || (blank && line !== '')) {
      line += token;
      used += more;
      continue;
    }
    if (line.trim() !== '') {
      lines.push(line.trimEnd());
    }
    const pieces = blank ? [''] : cut(token, measure, width);
    line = pieces.pop() ?? '';
    used = measure(line);
    lines.push(...pieces);
  }
  return [...lines, line.trimEnd()];
}

/** Breaks a text at its line feeds and, where a line is too long, at blanks; a word that fits no line is cut. */
export function wrap(text: string, measure: Measure, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => wrapParagraph(paragraph, measure, width));
}

/** Something that takes a strip of the page. */
export interface Strip {
  height: number;
  /** It must not be the last one on its page: a heading. */
  keepWithNext?: boolean;
}

/** Deals strips out to pages of that height, in order. */
export function paginate<S extends Strip>(strips: readonly S[], height: number): S[][] {
  const pages: S[][] = [];
  let page: S[] = [];
  let used = 0;
  const turn = () => {
    const last = page.findLastIndex((strip) => !strip.keepWithNext);
    const carried = last >= 0 ? page.splice(last + 1) : [];
    pages.push(page);
    page = carried;
    used = carried.reduce((sum, strip) => sum + strip.height, 0);
  };
  for (const strip of strips) {
    if (page.length > 0 && used + strip.height > height) {
      turn();
    }
    page.push(strip);
    used += strip.height;
  }
  return page.length > 0 ? [...pages, page] : pages;
}
