/**
 * Files that the server makes while it sends them, received by the page. Must never hand over an answer that is a refusal.
 */
import { problemOf, SESSION_EXPIRED } from '../../shared/api/client';

/**
 * Largest archive whose file passes through the page, in reports. A report takes about 2 kB, so this is 200 MB at most,
 * which browsers keep outside the page's own memory. The page then shows how far it is, knows that the file is whole and
 * can say why it is not. A larger archive is left to the browser's own downloads, which write to the disk as it comes.
 */
export const IN_PAGE_REPORTS = 100_000;

/** Asks for a file; fails with what the server said when it refuses. */
export async function openFile(address: string, signal: AbortSignal): Promise<Response> {
  const answer = await fetch(address, { signal });
  if (!answer.ok) {
    const problem = await problemOf(answer);
    if (problem.slug === 'non-autenticato') {
      window.dispatchEvent(new Event(SESSION_EXPIRED));
    }
    throw problem;
  }
  return answer;
}

/** The name the server gave to a file, from `Content-Disposition` (RFC 6266); empty when it gave none. */
export function fileNameOf(disposition: string | null): string {
  return /filename="([^"]+)"/.exec(disposition ?? '')?.[1] ?? '';
}
