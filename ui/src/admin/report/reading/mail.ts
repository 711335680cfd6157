/** A mail with its parts, read on this page. Must never fetch anything that a mail names, nor make a page of what it says. */
import PostalMime, { type Address, type Email } from 'postal-mime';
import { ToldError } from '../../common/errors';

/** Bytes of a mail that is shown: what providers let through, packed as mails are. */
export const MAIL_MAX = 70 * 1024 * 1024;

export interface Part {
  name: string;
  content: Blob;
}

export interface Mail {
  facts: readonly (readonly [string, string])[];
  text: string;
  /** Whether the words were taken out of a page. */
  fromPage: boolean;
  parts: readonly Part[];
}

const OPTIONS = { forceRfc822Attachments: true, maxNestingDepth: 64 } as const;

export async function readMail(blob: Blob): Promise<Mail> {
  if (blob.size > MAIL_MAX) {
    throw new ToldError('Questa email è troppo grande per mostrarla qui: scaricala.');
  }
  const mail = await PostalMime.parse(blob, OPTIONS).catch(() => {
    throw new ToldError('Questa email non si riesce a leggere: scaricala e aprila con un altro programma.');
  });
  const fromPage = !mail.text?.trim() && mail.html !== undefined;
  return {
    facts: factsOf(mail),
    text: (fromPage ? await wordsOf(mail.html ?? '') : (mail.text ?? '')).trim(),
    fromPage,
    parts: mail.attachments.map(({ filename, mimeType, content }, index) => ({
      name:
        filename ??
        `${mimeType === 'message/rfc822' ? 'messaggio' : 'parte'} ${index + 1}${ENDINGS.get(mimeType) ?? ''}`,
      content: new Blob([content as ArrayBuffer]),
    })),
  };
}

function factsOf(mail: Email): [string, string][] {
  const { from, to, cc, date, subject, headers } = mail;
  const sent = headers.find(({ key }) => key === 'date')?.value ?? date ?? '';
  const facts: [string, string][] = [
    ['Da', listed(from ? [from] : [])],
    ['A', listed(to ?? [])],
    ['Cc', listed(cc ?? [])],
    ['Data', sent],
    ['Oggetto', subject ?? ''],
  ];
  return facts.filter(([, value]) => value !== '');
}

/** Name and address both: what is shown alone is what a forger writes. */
const listed = (addresses: readonly Address[]): string =>
  addresses
    .map(({ name, address, group }) =>
      group ? `${name}: ${listed(group)}` : name ? `${name} <${address}>` : address,
    )
    .join(', ');

/** Nested messages open as mails, other nameless parts by what they are. */
const ENDINGS = new Map([
  ['message/rfc822', '.eml'],
  ['text/plain', '.txt'],
  ['text/html', '.html'],
  ['text/calendar', '.ics'],
  ['image/jpeg', '.jpg'],
  ['image/png', '.png'],
  ['application/pdf', '.pdf'],
]);

/** The words of a page. The library takes them out of one that stands beside a text. */
async function wordsOf(html: string): Promise<string> {
  const boundary = crypto.randomUUID();
  const head = (type: string) => `\r\n--${boundary}\r\nContent-Type: ${type}; charset=utf-8\r\n\r\n`;
  const both = [
    `Content-Type: multipart/mixed; boundary="${boundary}"\r\n`,
    head('text/html'),
    html,
    head('text/plain'),
    `\r\n--${boundary}--\r\n`,
  ];
  const { text } = await PostalMime.parse(new Blob(both), OPTIONS);
  return text ?? '';
}
