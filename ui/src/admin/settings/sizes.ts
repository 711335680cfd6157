/** Sizes of files for people. */

/** In millions of bytes; what is smaller than a tenth of one is said so. */
export function megabytes(bytes: number): string {
  const value = bytes / 1_000_000;
  if (bytes > 0 && value < 0.1) {
    return 'meno di 0,1 MB';
  }
  return `${value.toLocaleString('it-IT', { maximumFractionDigits: 1 })} MB`;
}
