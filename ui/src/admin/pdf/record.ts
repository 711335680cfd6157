/**
 * Draws the PDF record of a report: A4, as many pages as it takes, in a font that is embedded. Must be loaded only on
 * demand (it brings jsPDF along), and must never hand jsPDF a character that its font lacks.
 */
import { jsPDF } from 'jspdf';
import type { DeskMessage, RedactedText, ReportDetail } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { messages } from '../../shared/messages';
import { CONSENTS } from '../common/consents';
import { REPORTER_FIELDS } from '../common/report-fields';
import { type Covers, makePrintable } from './printable';

/** Millimetres. The text runs on at a width of 170 (PRODUCT.md §6). */
const MARGIN = 20;
const WIDTH = 170;
const RIGHT = MARGIN + WIDTH;
const TOP = 22;
const BOTTOM = 274;
const NAMES_WIDTH = 42;
const FOOTER_AT = 285;
const HEADER_AT = 16;

const FONT = 'record';
const INK = '#14181f';
const GREY = '#525b69';
const RULE = '#b9c0ca';

interface Style {
  /** Points. */
  size: number;
  /** Millimetres from one line to the next. */
  leading: number;
  colour: string;
  /** Drawn with an outline as well, for want of a second font. */
  bold?: boolean;
  /** Blank millimetres above and below a block. */
  before?: number;
  after?: number;
}

const STYLES = {
  title: { size: 17, leading: 8, colour: INK, bold: true, after: 3 },
  heading: { size: 12, leading: 6, colour: INK, bold: true, before: 7, after: 2.6 },
  text: { size: 10.5, leading: 5.4, colour: INK },
  question: { size: 9, leading: 5.4, colour: GREY, before: 2 },
  name: { size: 9, leading: 5.4, colour: GREY },
  small: { size: 8, leading: 4, colour: GREY, before: 6 },
} as const satisfies Record<string, Style>;

/** Millimetres from the foot of a heading's letters to its rule. */
const RULE_BELOW = 1.8;

interface Piece {
  text: string;
  x: number;
  style: Style;
}

interface Strip {
  height: number;
  /** It must not be the last one on its page: a heading. */
  keepWithNext?: boolean;
}

interface Line extends Strip {
  pieces: readonly Piece[];
  leading: number;
  /** Blank space above, with which a page does not begin. */
  before: number;
  rule: boolean;
}

type Typeset = (text: string, style: Style, width: number) => string[];

function factLines(typeset: Typeset, name: string, value: string): Line[] {
  const { name: small, text } = STYLES;
  return typeset(value, text, WIDTH - NAMES_WIDTH).map((part, index) => {
    const label = index === 0 ? typeset(name, small, NAMES_WIDTH).slice(0, 1) : [];
    const pieces = label.map((found) => ({ text: found, x: MARGIN, style: small as Style }));
    const height = text.leading;
    pieces.push({ text: part, x: MARGIN + NAMES_WIDTH, style: text });
    return { pieces, leading: height, before: 0, rule: false, height };
  });
}

function linesOf(block: Block, typeset: Typeset): Line[] {
  if (block.kind === 'fact') {
    return factLines(typeset, block.name, block.value);
  }
  const style: Style = STYLES[block.kind];
  const heading = block.kind === 'heading';
  const parts = typeset(block.text, style, WIDTH);
  return parts.map((text, index) => {
    const last = index === parts.length - 1;
    const before = index === 0 ? (style.before ?? 0) : 0;
    return {
      pieces: [{ text, x: MARGIN, style }],
      leading: style.leading,
      before,
      rule: last && heading,
      keepWithNext: heading || block.kind === 'question',
      height: before + style.leading + (last ? (style.after ?? 0) : 0),
    };
  });
}

/** Draws over the signs that stand for a bar, which no font has. */
function blacken(doc: jsPDF, { text, x, style }: Piece, y: number): void {
  let from = x;
  const parts = text.split(BAR_SIGNS);
  const width = doc.getTextWidth(BAR_SIGNS);
  doc.setFillColor(style.colour);
  for (const part of parts.slice(0, -1)) {
    from += doc.getTextWidth(part);
    doc.rect(from, y - style.size * 0.26, width, style.size * 0.31, 'F');
    from += width;
  }
}

function write(doc: jsPDF, { text, x, style }: Piece, y: number, align: 'left' | 'right' = 'left'): void {
  doc.setFontSize(style.size);
  doc.setTextColor(style.colour);
  doc.setDrawColor(style.colour);
  doc.setLineWidth(style.size * 0.012);
  doc.text(text, x, y, { align, ...(style.bold ? { renderingMode: 'fillThenStroke' } : {}) });
}

function drawPage(doc: jsPDF, lines: readonly Line[], bars: boolean): void {
  let y = TOP;
  for (const [index, { pieces, before, leading, rule, height }] of lines.entries()) {
    const baseline = y + (index === 0 ? 0 : before) + leading;
    for (const piece of pieces) {
      write(doc, piece, baseline);
      if (bars) {
        blacken(doc, piece, baseline);
      }
    }
    if (rule) {
      doc.setDrawColor(RULE);
      doc.setLineWidth(0.2);
      doc.line(MARGIN, baseline + RULE_BELOW, RIGHT, baseline + RULE_BELOW);
    }
    y = baseline + height - before - leading;
  }
}

/** Bytes as jsPDF takes a font file: one character a byte. */
function binaryString(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('');
}

export function newDocument(font: ArrayBuffer): jsPDF {
  const doc = new jsPDF({ unit: 'mm', format: 'a4', compress: true, putOnlyUsedFonts: true });
  doc.addFileToVFS('record-font.ttf', binaryString(font));
  doc.addFont('record-font.ttf', FONT, 'normal');
  doc.setFont(FONT, 'normal');
  doc.setLanguage('it');
  return doc;
}

/** The characters of the document's font. One that jsPDF does not find there cuts the rest of its line off. */
export function coverageOf(doc: jsPDF): Covers {
  const font: { characterToGlyph: (code: number) => number } = doc.getFont().metadata;
  return (code) => font.characterToGlyph(code) !== 0;
}

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

interface RecordOptions {
  messages: readonly DeskMessage[];
  productName: string;
  font: ArrayBuffer;
  printedAt: string;
}

interface DocumentOptions {
  font: ArrayBuffer;
  /** Of the file, for programs that show it. */
  title: string;
  /** Above each page but the first. */
  header: string;
  footer: string;
  /** Whether the texts hold bars in place of what is covered. */
  bars?: boolean;
}

/** A bar of a clean copy, and the signs of the font that it is drawn over. */
const BAR = '█████';
const BAR_SIGNS = '−−−−−';

export function drawRecord(
  report: ReportDetail,
  { messages: thread, productName, font, printedAt }: RecordOptions,
): Blob {
  return drawDocument(recordBlocks(report, thread, productName), {
    font,
    title: `Segnalazione #${report.id}`,
    header: `${productName} – Segnalazione #${report.id}`,
    footer: `Stampata dal pannello il ${formatDateTime(printedAt)}`,
  });
}

/** Holds what the server covered and nothing else: this never sees the report itself (PRODUCT.md §19). */
export function drawCleanCopy(
  copy: RedactedText,
  { productName, font, printedAt }: Omit<RecordOptions, 'messages'>,
): Blob {
  const title = `${productName} – Copia oscurata`;
  const blocks: Block[] = [
    { kind: 'title', text: title },
    { kind: 'small', text: `${BAR}: parte coperta da chi ha preparato la copia` },
    ...copy.facts.map(({ name, value }) => fact(name, value)),
    { kind: 'heading', text: 'Testo della Segnalazione' },
    { kind: 'text', text: copy.account.trim() || messages.reports.noText },
  ];
  const footer = `Preparata dal pannello il ${formatDateTime(printedAt)}`;
  return drawDocument(blocks, { font, title: 'Copia oscurata', header: title, footer, bars: true });
}

function drawDocument(
  blocks: readonly Block[],
  { font, title, bars = false, ...options }: DocumentOptions,
): Blob {
  const doc = newDocument(font);
  const covers = coverageOf(doc);
  let replaced = false;
  const typeset: Typeset = (raw, style, width) => {
    const printable = makePrintable(bars ? raw.replaceAll(BAR, BAR_SIGNS) : raw, covers);
    replaced ||= printable.replaced;
    doc.setFontSize(style.size);
    return doc.splitTextToSize(printable.text, width) as string[];
  };

  const lines = blocks.flatMap((block) => linesOf(block, typeset));
  if (replaced) {
    lines.push(...linesOf({ kind: 'small', text: REPLACED_NOTE }, typeset));
  }
  const pages = paginate(lines, BOTTOM - TOP);
  const header = typeset(options.header, STYLES.small, WIDTH)[0] ?? '';
  for (const [index, page] of pages.entries()) {
    if (index > 0) {
      doc.addPage();
      write(doc, { text: header, x: MARGIN, style: STYLES.small }, HEADER_AT);
    }
    drawPage(doc, page, bars);
    write(doc, { text: options.footer, x: MARGIN, style: STYLES.small }, FOOTER_AT);
    const number = `Pagina ${index + 1} di ${pages.length}`;
    write(doc, { text: number, x: RIGHT, style: STYLES.small }, FOOTER_AT, 'right');
  }
  doc.setProperties({ title });
  return doc.output('blob');
}

export type Block =
  | { kind: 'title'; text: string }
  | { kind: 'heading'; text: string }
  | { kind: 'fact'; name: string; value: string }
  | { kind: 'question'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'small'; text: string };

export const REPLACED_NOTE =
  'Nella scheda i simboli che non si possono stampare sono sostituiti da □ o [emoji]: il testo originale è nel pannello.';

const fact = (name: string, value: string): Block => ({ kind: 'fact', name, value });

const question = (text: string): Block => ({ kind: 'question', text });
const text = (said: string): Block => ({ kind: 'text', text: said });

/** What was asked back, and what was answered. */
function askedBlocks(thread: readonly DeskMessage[]): Block[] {
  const blocks = thread.flatMap(({ at, questions, answers }): Block[] => {
    const answerTo = (key: string) => answers?.data.find((one) => one.key === key)?.text ?? 'Saltata';
    const when = answers ? `, risposte il ${formatDateTime(answers.at)}` : '';
    return questions.length === 0
      ? []
      : [
          { kind: 'small', text: `Chieste il ${formatDateTime(at)}${when}` },
          ...questions.flatMap(({ key, text: asked }) => [
            question(asked),
            text(answers ? answerTo(key) : 'Non ancora risposto'),
          ]),
        ];
  });
  return blocks.length > 0 ? [{ kind: 'heading', text: 'Domande e risposte' }, ...blocks] : [];
}

/** Every consent that was asked for, in the words in which it was. */
function consentBlocks({ consents }: ReportDetail): Block[] {
  const blocks = consents.flatMap(({ kind, given, givenAt, asked, answered, text: words }) => {
    const refused = givenAt ? `sì, il ${formatDateTime(givenAt)}, ritirato` : 'no,';
    const decided = answered
      ? `${given ? 'sì,' : refused} il ${formatDateTime(answered)}`
      : 'non ancora risposto';
    return [
      question(`${CONSENTS[kind]}: ${decided}. Chiesto il ${formatDateTime(asked)} con queste parole:`),
      text(words),
    ];
  });
  return blocks.length > 0 ? [{ kind: 'heading', text: 'Consensi' }, ...blocks] : [];
}

export function recordBlocks(
  report: ReportDetail,
  thread: readonly DeskMessage[],
  productName: string,
): Block[] {
  const note = report.note.trim();
  return [
    { kind: 'title', text: `${productName} – Scheda Segnalazione` },
    fact('ID Segnalazione', report.id),
    fact('Data Ricezione', formatDateTime(report.data_creazione)),
    fact('Stato Attuale', report.stato),
    fact('Reparto', report.departmentName),
    fact('Urgente', report.urgenteOra ? 'Sì' : 'No'),
    ...(report.inoltrata ? [fact('Inoltrata alle autorità', formatDateTime(report.inoltrata))] : []),
    { kind: 'heading', text: 'Dati Personali' },
    ...REPORTER_FIELDS.map(({ label, text }) => fact(label, text(report))),
    ...(report.inchiesta
      ? [
          { kind: 'heading' as const, text: `Inchiesta: ${report.inchiesta.title}` },
          ...report.risposte.flatMap(({ question: asked, text: said }) => [question(asked), text(said)]),
        ]
      : []),
    { kind: 'heading', text: 'Testo della Segnalazione' },
    { kind: 'text', text: report.segnalazione.trim() || messages.reports.noText },
    ...askedBlocks(thread),
    ...consentBlocks(report),
    ...(note
      ? ([
          { kind: 'heading', text: 'Note Interne' },
          { kind: 'text', text: note },
        ] as const)
      : []),
  ];
}
