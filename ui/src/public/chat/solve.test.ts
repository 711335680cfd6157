import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { head, solve } from './solve';

const sha256 = (text: string) => createHash('sha256').update(text).digest();

it('hashes as everybody else does', () => {
  for (const text of ['', 'abc', 'sale:0', 'a'.repeat(55)]) {
    expect(head(text), text).toBe(sha256(text).readInt32BE(0));
  }
});

it('finds the least number with so many zero bits', async () => {
  const n = await solve('sale', 12);
  const bits = (number: number) => Math.clz32(sha256(`sale:${number}`).readInt32BE(0));
  expect(bits(n)).toBeGreaterThanOrEqual(12);
  expect(Array.from({ length: n }, (_, before) => bits(before)).every((found) => found < 12)).toBe(true);
});

it('stops when it is called off', async () => {
  const abort = new AbortController();
  const found = solve('sale', 32, abort.signal);
  abort.abort(new Error('basta'));
  await expect(found).rejects.toThrow('basta');
});
