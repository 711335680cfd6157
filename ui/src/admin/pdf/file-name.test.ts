import { describe, expect, it } from 'vitest';
import { recordFileName } from './make-record';

const name = (text: string) => recordFileName('7', text);

describe('the name of a record', () => {
  it('is the id and the name with underscores for spaces', () => {
    expect(name('Maria  De Rossi')).toBe('segnalazione_7_Maria_De_Rossi.pdf');
    expect(name('Nicolò D’Angelo')).toBe('segnalazione_7_Nicolò_D’Angelo.pdf');
  });

  it('holds nothing that could lead elsewhere or deceive', () => {
    expect(name('../../etc/passwd')).toBe('segnalazione_7_....etcpasswd.pdf');
    expect(name('a\\b:c*d?e"f<g>h|i\u0000j')).toBe('segnalazione_7_abcdefghij.pdf');
    expect(name('Anna\u202Efdp.exe')).toBe('segnalazione_7_Annafdp.exe.pdf');
  });

  it('stays short, and does without a name', () => {
    expect(name('😀'.repeat(300))).toBe(`segnalazione_7_${'😀'.repeat(40)}.pdf`);
    expect(new TextEncoder().encode(recordFileName('x'.repeat(36), '😀'.repeat(300))).length).toBeLessThan(
      255,
    );
    expect(name(' / ')).toBe('segnalazione_7.pdf');
  });
});
