/** How a file inside of another is shown: by its ending, which decides nothing but which element tries to draw it. */

const TYPES = new Map(
  Object.entries({
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    png: 'image/png',
    gif: 'image/gif',
    webp: 'image/webp',
    avif: 'image/avif',
    bmp: 'image/bmp',
    mp4: 'video/mp4',
    m4v: 'video/mp4',
    mov: 'video/mp4',
    webm: 'video/webm',
    '3gp': 'video/mp4',
    opus: 'audio/ogg',
    ogg: 'audio/ogg',
    oga: 'audio/ogg',
    m4a: 'audio/mp4',
    aac: 'audio/aac',
    mp3: 'audio/mpeg',
    wav: 'audio/wav',
    eml: 'message/rfc822',
    zip: 'application/zip',
    txt: 'text/plain',
    csv: 'text/plain',
    vcf: 'text/plain',
    ics: 'text/plain',
    log: 'text/plain',
    json: 'text/plain',
    xml: 'text/plain',
    md: 'text/plain',
    html: 'text/plain',
    htm: 'text/plain',
  }),
);

/** Empty for what is only handed out. */
export const typeOf = (name: string): string => TYPES.get(name.split('.').at(-1)?.toLowerCase() ?? '') ?? '';
