/** Reads a PDF's text back, for tests. Must use a reader that had no part in writing it. */
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

export interface PdfText {
  title: unknown;
  /** Lines of each page, from top to bottom. */
  pages: string[][];
  /** Names of the fonts, as the file spells them. */
  fonts: string[];
}

/** Pieces of text on one height are one line. */
function linesOf(items: readonly { str: string; y: number }[]): string[] {
  const lines = new Map<number, string[]>();
  for (const { str, y } of items) {
    const line = lines.get(y) ?? [];
    line.push(str);
    lines.set(y, line);
  }
  const fromTop = [...lines].sort(([one], [other]) => other - one);
  return fromTop.map(([, parts]) => parts.filter((part) => part.trim() !== '').join(' | '));
}

export async function readPdf(bytes: Uint8Array): Promise<PdfText> {
  // The reader takes the bytes for itself, so it gets a copy.
  const task = getDocument({ data: bytes.slice(), useSystemFonts: false, verbosity: 0 });
  try {
    const file = await task.promise;
    const { info } = await file.getMetadata();
    const pages: string[][] = [];
    for (let number = 1; number <= file.numPages; number += 1) {
      const page = await file.getPage(number);
      const { items } = await page.getTextContent();
      const texts = items.flatMap((item) =>
        'str' in item ? [{ str: item.str, y: Math.round(Number(item.transform[5])) }] : [],
      );
      pages.push(linesOf(texts));
    }
    const raw = Buffer.from(bytes).toString('latin1');
    const fonts = [...raw.matchAll(/\/BaseFont \/(\S+)/g)].map((match) => match[1] ?? '');
    return { title: (info as { Title?: unknown }).Title, pages, fonts };
  } finally {
    await task.destroy();
  }
}
