/** Hands files to the browser's downloads. */

/** Milliseconds a file stays readable: slow machines start a download late. */
const KEEP_MS = 60_000;

/** Follows an address as a download; an empty name leaves the choice to the server. */
export function download(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}

export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  download(address, name);
  setTimeout(() => URL.revokeObjectURL(address), KEEP_MS);
}
