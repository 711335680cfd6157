/**
 * Finds the proof of work that siege mode asks for. Its own file, loaded when it is needed. It works in short slices between
 * which the page lives on: a worker would need a hole in the policy of trusted types.
 * Must never send anything, nor go on when it was called off.
 */

/** Longest slice, in milliseconds: the box and the dots stay alive. */
const SLICE = 12;
const ROUND = 256;

const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0;
const PRIMES: number[] = [];
for (let n = 2; PRIMES.length < 64; n += 1) {
  if (PRIMES.every((prime) => n % prime !== 0)) {
    PRIMES.push(n);
  }
}
const ROUNDS = Int32Array.from(PRIMES, (prime) => fraction(prime ** (1 / 3)));
const BEGIN = PRIMES.slice(0, 8).map((prime) => fraction(prime ** (1 / 2)));

const words = new Int32Array(64);
const turn = (x: number, n: number) => (x >>> n) | (x << (32 - n));

/** The first 32 bits of the SHA-256 (FIPS 180-4) of a short text of one block: at most 55 ASCII characters. */
export function head(text: string): number {
  words.fill(0, 0, 16);
  const put = (at: number, byte: number) => {
    words[at >> 2] = (words[at >> 2] as number) | (byte << (24 - 8 * (at & 3)));
  };
  for (let at = 0; at < text.length; at += 1) {
    put(at, text.charCodeAt(at));
  }
  put(text.length, 0x80);
  words[15] = 8 * text.length;
  for (let i = 16; i < 64; i += 1) {
    const [near, far] = [words[i - 2] as number, words[i - 15] as number];
    const s0 = turn(far, 7) ^ turn(far, 18) ^ (far >>> 3);
    const s1 = turn(near, 17) ^ turn(near, 19) ^ (near >>> 10);
    words[i] = (words[i - 16] as number) + s0 + (words[i - 7] as number) + s1;
  }
  let [a, b, c, d, e, f, g, h] = BEGIN as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i += 1) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const one = (h + s1 + ((e & f) ^ (~e & g)) + (ROUNDS[i] as number) + (words[i] as number)) | 0;
    const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  return (a + (BEGIN[0] as number)) | 0;
}

/** Lets the page do what waits; unlike timers, messages are not held back in a tab behind others. */
function breath(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** The least number n for which SHA-256(salt + ":" + n) begins with so many zero bits. */
export async function solve(salt: string, bits: number, signal?: AbortSignal): Promise<number> {
  for (let n = 0; ; ) {
    const end = performance.now() + SLICE;
    while (performance.now() < end) {
      for (const until = n + ROUND; n < until; n += 1) {
        if (Math.clz32(head(`${salt}:${n}`)) >= bits) {
          return n;
        }
      }
    }
    await breath();
    signal?.throwIfAborted();
  }
}
