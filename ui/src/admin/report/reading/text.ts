/** Texts as bytes hold them: Unicode by its mark or its form, else what Windows wrote before. */
import { ToldError } from '../../common/errors';

/** Bytes of a text that is shown. */
export const TEXT_MAX = 16 * 1024 * 1024;

export async function textOf(blob: Blob): Promise<string> {
  if (blob.size > TEXT_MAX) {
    throw new ToldError('Questo testo è troppo lungo per mostrarlo qui: scaricalo.');
  }
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const [first, second] = bytes;
  const wide =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : '';
  if (wide) {
    return new TextDecoder(wide).decode(bytes);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** A name for people: without folders, and without what is invisible or runs the other way. */
export function shownName(name: string): string {
  const last = name.split(/[/\\]/).findLast((part) => part !== '') ?? '';
  return last.replace(/[\p{Cc}\p{Cf}]/gu, '').trim() || 'file senza nome';
}
