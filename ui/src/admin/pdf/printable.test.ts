import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makePrintable } from './printable';
import { coverageOf, newDocument } from './record';

const file = readFileSync(join(import.meta.dirname, 'font/record-font.ttf'));
const covers = coverageOf(newDocument(new Uint8Array(file).buffer));
const print = (raw: string) => makePrintable(raw, covers);

describe('the font of the record', () => {
  it('draws Italian, its neighbours, currencies and typography', () => {
    const wanted = 'àèéìòùÀÈÉÌÒÙçœßñăâîșțĂÂÎȘȚëËşţčšžćđőűłążęğıİđơư€£$«»“”‘’„–—…•§°½−ΑΩαωЖжїґ\ufb01□';
    expect([...wanted].filter((character) => !covers(character.codePointAt(0) ?? 0))).toEqual([]);
  });

  it('knows what it lacks', () => {
    for (const character of ['漢', 'א', 'ع', '\u0000', '\u202e', '\u200d', '😀']) {
      expect(covers(character.codePointAt(0) ?? 0), character).toBe(false);
    }
  });
});

describe('printable text', () => {
  it('leaves alone what can be drawn', () => {
    const text = 'Perché no? L’“euro” costa 5 €…\nȘtefan Țîrlea, Gëzim Çela.';
    expect(print(text)).toEqual({ text, replaced: false });
  });

  it('composes letters with their marks', () => {
    expect(print('perche\u0301')).toEqual({ text: 'perché', replaced: false });
  });

  it.each([
    ['😀', '[emoji]'],
    ['👩🏽‍🚒!', '[emoji]!'],
    ['🇮🇹', '[emoji]'],
    ['❤️', '[emoji]'],
    ['due 🙂🙂', 'due [emoji][emoji]'],
    ['漢字', '□□'],
    ['a\u202eb', 'a□b'],
    ['a\u0000b', 'a□b'],
    ['a\u200bb', 'a□b'],
    ['1\ufe0f\u20e3', '1□'],
    ['x\u{1d4d0}', 'x□'],
    ['\ud800', '□'],
  ])('replaces visibly: %j', (raw, text) => {
    expect(print(raw)).toEqual({ text, replaced: true });
  });

  it('takes all spaces for plain ones, tabs for four, and every line end for a line feed', () => {
    expect(print('a\u00a0b\u2009c\td\r\ne\rf\u2028g')).toEqual({
      text: 'a b c    d\ne\nf\ng',
      replaced: false,
    });
  });

  it('keeps a sign that is drawn even where it was meant as a picture', () => {
    expect(print('™️ ©')).toEqual({ text: '™ ©', replaced: false });
  });

  it('never gives a character that the font lacks, nor loses a visible one', () => {
    for (let code = 1; code < 0x30000; code += 7) {
      const raw = String.fromCodePoint(code);
      const { text } = print(raw);
      for (const character of text) {
        expect(character === '\n' || covers(character.codePointAt(0) ?? 0), code.toString(16)).toBe(true);
      }
      expect(text.length, code.toString(16)).toBeGreaterThan(0);
    }
  });
});
