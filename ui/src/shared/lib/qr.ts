/** A QR code as one path. Its library is loaded on demand. */

function pathOf(cells: readonly (readonly boolean[])[]): string {
  return cells.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
}

export interface Qr {
  size: number;
  path: string;
}

export async function qrOf(text: string): Promise<Qr> {
  const { encode } = await import('uqr');
  const { data, size } = encode(text, { border: 3 });
  return { size, path: pathOf(data) };
}
