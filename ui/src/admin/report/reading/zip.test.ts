import { deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { typeOf } from './kinds';
import { shownName, textOf } from './text';
import { entriesOf, unpack } from './zip';

interface Part {
  name: string;
  content: Buffer;
  stored?: boolean;
  locked?: boolean;
  wide?: boolean;
}

/** An archive, written by hand. */
function zip(parts: readonly Part[], before = '', comment = ''): Blob {
  const bodies: Buffer[] = [Buffer.from(before)];
  const list: Buffer[] = [];
  let at = 0;
  for (const { name, content, stored, locked, wide } of parts) {
    const [bytes, packed] = [Buffer.from(name), stored ? content : deflateRawSync(content)];
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50);
    header.writeUInt16LE(bytes.length, 26);
    bodies.push(header, bytes, packed);
    const extra = Buffer.alloc(wide ? 20 : 0);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt16LE(locked ? 1 : 0, 8);
    entry.writeUInt16LE(stored ? 0 : 8, 10);
    entry.writeUInt32LE(wide ? 0xffff_ffff : packed.length, 20);
    entry.writeUInt32LE(wide ? 0xffff_ffff : content.length, 24);
    entry.writeUInt16LE(bytes.length, 28);
    entry.writeUInt16LE(extra.length, 30);
    entry.writeUInt32LE(at, 42);
    if (wide) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(16, 2);
      extra.writeBigUInt64LE(BigInt(content.length), 4);
      extra.writeBigUInt64LE(BigInt(packed.length), 12);
    }
    list.push(entry, bytes, extra);
    at += 30 + bytes.length + packed.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return new Blob([...bodies, directory, end, Buffer.from(comment)].map((part) => new Uint8Array(part)));
}

const part = (name: string, content = 'È vero.\n', more: Partial<Part> = {}): Part => ({
  name,
  content: Buffer.from(content),
  ...more,
});

async function opened(blob: Blob, most = 1_000): Promise<string[][]> {
  const entries = await entriesOf(blob);
  return Promise.all(
    entries.map(async (entry) => [entry.name, await textOf(await unpack(blob, entry, most))]),
  );
}

it.each([
  ['deflated', zip([part('a.txt')])],
  ['as it is', zip([part('a.txt', undefined, { stored: true })])],
  ['with long numbers', zip([part('a.txt', undefined, { wide: true })])],
  ['behind something else', zip([part('a.txt')], 'MZ un programma che si apre da sé')],
  ['before a remark', zip([part('a.txt')], '', 'PK\x05\x06 quasi una fine')],
  ['with a folder', zip([part('cartella/', ''), part('a.txt')])],
])('opens a file %s', async (_, blob) => {
  expect(await opened(blob)).toEqual([['a.txt', 'È vero.\n']]);
});

it.each([
  ['no archive', new Blob(['ciao']), /incompleto o danneggiato/],
  ['one that was cut', zip([part('a.txt')]).slice(20), /incompleto o danneggiato/],
  ['a locked one', zip([part('a.txt', 'x', { locked: true })]), /password/],
  ['a bomb', zip([part('zeri', '0'.repeat(5_000_000))]), /troppo grande/],
  ['what is too large as it is', zip([part('zeri', '0'.repeat(5_000), { stored: true })]), /troppo grande/],
])('says of %s what it is', async (_, blob, said) => {
  await expect(opened(blob)).rejects.toThrow(said);
});

it.each([
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\a.jpg', 'a.jpg'],
  ['foto\u202egpj.exe', 'fotogpj.exe'],
  ['a\0b.txt', 'ab.txt'],
  ['\u200b', 'file senza nome'],
  ['', 'file senza nome'],
])('shows the name %j as %s', (name, shown) => {
  expect(shownName(name)).toBe(shown);
});

it('tells by an ending only what tries to draw a file', () => {
  expect(['a.JPG', 'a.opus', 'a.eml', 'a.svg', 'a.exe', 'a', 'constructor'].map(typeOf)).toEqual([
    'image/jpeg',
    'audio/ogg',
    'message/rfc822',
    '',
    '',
    '',
    '',
  ]);
});

it.each([
  ['UTF-8', Buffer.from('\ufeffè')],
  ['UTF-16', Buffer.from('\ufeffè', 'utf16le')],
  ['Windows', Buffer.from([0xe8])],
])('reads a text in %s', async (_, bytes) => {
  expect(await textOf(new Blob([new Uint8Array(bytes)]))).toBe('è');
});
