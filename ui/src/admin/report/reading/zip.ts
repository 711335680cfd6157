/**
 * Reads ZIP archives (APPNOTE 6.3.10) from bytes that stay where they are: only the directory and what is asked for are opened.
 * Must never unpack more than it was told to, nor take a name for a path.
 */
import { ToldError } from '../../common/errors';

export interface Entry {
  /** As the archive has it, folders included; folders themselves are left out. */
  name: string;
  /** Bytes, by the word of the directory. */
  size: number;
  packed: number;
  /** 0: as it is, 8: deflated. */
  method: number;
  locked: boolean;
  /** Where its own header begins. */
  at: number;
}

const END = 0x06054b50;
const END_BYTES = 22;
const COMMENT_MAX = 0xffff;
const DIRECTORY_MAX = 32 * 1024 * 1024;
/** Entries that are read of a directory. */
export const ENTRIES_MAX = 20_000;
const WIDE = 0xffff_ffff;

const BROKEN = 'Questo archivio è incompleto o danneggiato: scaricalo e aprilo con un altro programma.';

async function view(blob: Blob, from: number, to: number): Promise<DataView> {
  return new DataView(await blob.slice(from, to).arrayBuffer());
}

function endOf(tail: DataView): number {
  for (let at = tail.byteLength - END_BYTES; at >= 0; at--) {
    if (tail.getUint32(at, true) === END) {
      return at;
    }
  }
  throw new ToldError(BROKEN);
}

function nameOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Numbers that do not fit stand in a field of their own, in this order (4.5.3). */
function widened(extra: DataView, numbers: readonly number[]): number[] {
  for (let at = 0; at + 4 <= extra.byteLength; at += 4 + extra.getUint16(at + 2, true)) {
    if (extra.getUint16(at, true) === 1) {
      let next = at + 4;
      return numbers.map((number) => {
        if (number !== WIDE || next + 8 > extra.byteLength) {
          return number;
        }
        next += 8;
        return Number(extra.getBigUint64(next - 8, true));
      });
    }
  }
  return [...numbers];
}

/** The entries of an archive, in the order of its directory. */
export async function entriesOf(blob: Blob): Promise<Entry[]> {
  const from = Math.max(0, blob.size - END_BYTES - COMMENT_MAX);
  const tail = await view(blob, from, blob.size);
  const end = endOf(tail);
  const length = tail.getUint32(end + 12, true);
  // Bytes before the archive shift it: its directory ends where its end record begins.
  const start = from + end - length;
  if (start < 0 || length > DIRECTORY_MAX) {
    throw new ToldError(BROKEN);
  }
  const directory = await view(blob, start, start + length);
  const moved = start - tail.getUint32(end + 16, true);
  try {
    return read(directory, Math.max(0, moved));
  } catch (error) {
    throw error instanceof RangeError ? new ToldError(BROKEN) : error;
  }
}

function read(directory: DataView, moved: number): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + 46 <= directory.byteLength && entries.length < ENTRIES_MAX; ) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) =>
      directory.getUint16(at + field, true),
    ) as [number, number, number];
    const bytes = new Uint8Array(directory.buffer, at + 46, nameLength);
    const extra = new DataView(directory.buffer, at + 46 + nameLength, extraLength);
    const numbers = [24, 20, 42].map((field) => directory.getUint32(at + field, true));
    const [size, packed, place] = widened(extra, numbers) as [number, number, number];
    const name = nameOf(bytes);
    if (!name.endsWith('/')) {
      const method = directory.getUint16(at + 10, true);
      const locked = (directory.getUint16(at + 8, true) & 1) === 1;
      entries.push({ name, size, packed, method, locked, at: place + moved });
    }
    at += 46 + nameLength + extraLength + commentLength;
  }
  return entries;
}

/** One file of an archive; fails with a sentence where it has more bytes than `most`. */
export async function unpack(blob: Blob, entry: Entry, most: number): Promise<Blob> {
  if (entry.locked) {
    throw new ToldError(
      'Questo file è protetto da una password: scarica l’archivio e aprilo con un altro programma.',
    );
  }
  const header = await view(blob, entry.at, entry.at + 30);
  if (header.byteLength < 30) {
    throw new ToldError(BROKEN);
  }
  const start = entry.at + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  const packed = blob.slice(start, start + entry.packed);
  if (entry.method === 0 && packed.size <= most) {
    return packed;
  }
  if (entry.method !== 8 && entry.method !== 0) {
    throw new ToldError(BROKEN);
  }
  return entry.method === 0 ? tooLarge() : inflate(packed, most);
}

function tooLarge(): never {
  throw new ToldError('Questo file è troppo grande per mostrarlo qui: scarica l’archivio.');
}

async function inflate(packed: Blob, most: number): Promise<Blob> {
  const unpacked = packed.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    for (let next = await unpacked.read(); !next.done; next = await unpacked.read()) {
      size += next.value.byteLength;
      if (size > most) {
        await unpacked.cancel();
        tooLarge();
      }
      pieces.push(next.value);
    }
  } catch (error) {
    throw error instanceof ToldError ? error : new ToldError(BROKEN);
  }
  return new Blob(pieces);
}
