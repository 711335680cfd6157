/** How a page may show a file. Must never take one for what its type does not say. */
import { addressOf } from '../../../shared/api/client';
import type { Attachment } from '../../../shared/api/schema';

const PICTURES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'];

type Show = 'picture' | 'video' | 'audio' | null;

export function showOf(type: string): Show {
  if (PICTURES.includes(type)) {
    return 'picture';
  }
  const [kind] = type.split('/');
  return kind === 'video' || kind === 'audio' ? kind : null;
}

/** The kinds of files that the page itself makes readable. */
export const isReadable = (type: string): boolean =>
  ['text/plain', 'message/rfc822', 'application/zip'].includes(type);

export const fileAddress = (report: string, { n }: Pick<Attachment, 'n'>) =>
  addressOf('/reports/{id}/attachments/{n}', { path: { id: report, n } });

export interface FilesProps {
  report: string;
  /** When the report came: a file that came later belongs to a message. */
  received: string;
  files: readonly Attachment[];
}
