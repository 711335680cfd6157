import { expect, it } from 'vitest';
import { readChat } from './chat-export';

const L = '\u200e';
const FILES = [
  '00000012-PHOTO-2024-03-12-14-05-11.jpg',
  'IMG-20240312-WA0001.jpg',
  'PTT-20240312-WA0002.opus',
];
const has = (name: string) => FILES.includes(name);
const read = (text: string) =>
  readChat(text, has)?.map(({ when, who, text: words, file }) => [when, who, words, file]);

/** Two lines as different phones write them, each with the text of its moment. */
const FORMATS: [source: string, line: string, when: string][] = [
  ['iOS, Italian', '[12/03/24, 14:05:11] Anna: ciao', '12/03/24, 14:05:11'],
  ['iOS with a mark before it', `${L}[12/03/24, 14:05:11] Anna: ${L}ciao`, '12/03/24, 14:05:11'],
  ['iOS, English, narrow blank before PM', '[3/12/24, 2:05:11\u202fPM] Anna: ciao', '3/12/24, 2:05:11 PM'],
  ['iOS, German', '[12.03.24, 14:05:11] Anna: ciao', '12.03.24, 14:05:11'],
  ['Android, Italian', '12/03/24, 14:05 - Anna: ciao', '12/03/24, 14:05'],
  ['Android, English', '3/12/24, 2:05\u202fpm - Anna: ciao', '3/12/24, 2:05 pm'],
  ['Android, German', '12.03.24, 14:05 - Anna: ciao', '12.03.24, 14:05'],
  ['Android, Dutch', '12-03-2024 14:05 - Anna: ciao', '12-03-2024 14:05'],
  // Rows of the tests of Pustur/whatsapp-chat-parser.
  ['Pustur 1', '3/6/18, 1:55 p.m. - Anna: ciao', '3/6/18, 1:55 p.m.'],
  ['Pustur 2', '03-06-2018, 01.55 PM - Anna: ciao', '03-06-2018, 01.55 PM'],
  ['Pustur 3', '13.06.18 21.25.15: Anna: ciao', '13.06.18 21.25.15'],
  ['Pustur 4', '[06.13.18 21:25:15] Anna: ciao', '06.13.18 21:25:15'],
  ['Pustur 5, Finnish', '13.6.2018 klo 21.25.15 - Anna: ciao', '13.6.2018 klo 21.25.15'],
  ['Pustur 7', '[3/6/18 1:55:00 p. m.] Anna: ciao', '3/6/18 1:55:00 p. m.'],
  ['Pustur 9', '[2018/06/13, 21:25:15] Anna: ciao', '2018/06/13, 21:25:15'],
  ['a number as name', '12/03/24, 14:05 - \u202a+39 333 123 4567\u202c: ciao', '12/03/24, 14:05'],
];

it.each(FORMATS)('reads %s', (source, line, when) => {
  const who = source === 'a number as name' ? '+39 333 123 4567' : 'Anna';
  expect(read(`${line}\r\nseconda riga\r\n${line}`)).toEqual([
    [when, who, 'ciao\nseconda riga', ''],
    [when, who, 'ciao', ''],
  ]);
});

const HEAD = '12/03/24, 14:05 - ';
const LINES: [what: string, line: string, expected: string[]][] = [
  [
    'a line of WhatsApp itself',
    'I messaggi e le chiamate sono crittografati end-to-end.',
    ['', 'I messaggi e le chiamate sono crittografati end-to-end.', ''],
  ],
  ['an empty message', 'Anna: ', ['Anna', '', '']],
  ['a name with a colon behind it only', 'Anna:', ['Anna', '', '']],
  ['a link', 'Anna: https://example.it/a:b', ['Anna', 'https://example.it/a:b', '']],
  ['a link alone', 'https://example.it cambiato', ['', 'https://example.it cambiato', '']],
  [
    'a picture, Android, Italian',
    'Anna: IMG-20240312-WA0001.jpg (file allegato)\nla didascalia',
    ['Anna', 'la didascalia', FILES[1] ?? ''],
  ],
  [
    'a picture, Android, English',
    `Anna: ${L}IMG-20240312-WA0001.jpg (file attached)`,
    ['Anna', '', FILES[1] ?? ''],
  ],
  [
    'a voice, Android, German',
    'Anna: PTT-20240312-WA0002.opus (Datei angehängt)',
    ['Anna', '', FILES[2] ?? ''],
  ],
  [
    'a picture, iOS, Italian',
    `Anna: ${L}<allegato: 00000012-PHOTO-2024-03-12-14-05-11.jpg>`,
    ['Anna', '', FILES[0] ?? ''],
  ],
  [
    'a picture, iOS, English, behind words',
    `Anna: guarda ${L}<attached: 00000012-PHOTO-2024-03-12-14-05-11.jpg>`,
    ['Anna', 'guarda', FILES[0] ?? ''],
  ],
  [
    'a picture, older iOS',
    'Anna: < attached: 00000012-PHOTO-2024-03-12-14-05-11.jpg >',
    ['Anna', '', FILES[0] ?? ''],
  ],
  [
    'one that did not come along',
    'Anna: manca.jpg (file allegato)',
    ['Anna', 'manca.jpg (file allegato)', ''],
  ],
  ['omitted media', 'Anna: <Media omessi>', ['Anna', '<Media omessi>', '']],
  ['a moment within a message', 'Anna: uno\n2016-04-29 10:30:00', ['Anna', 'uno\n2016-04-29 10:30:00', '']],
  ['markup', 'Anna: <img src=x onerror=alert(1)>', ['Anna', '<img src=x onerror=alert(1)>', '']],
];

it.each(LINES)('reads %s', (_, line, expected) => {
  expect(read(HEAD + line)).toEqual([['12/03/24, 14:05', ...expected]]);
});

it.each([
  ['nothing', ''],
  ['a text', 'Caro diario,\n12/03/24, 14:05 - Anna: ciao'],
  ['a table', 'data;ora;chi\n12/03/24;14:05;Anna'],
  ['a mail', 'From: a@example.it\nSubject: x\n\nciao'],
])('takes %s for no conversation', (_, text) => {
  expect(read(text)).toBeUndefined();
});

it('reads five thousand messages, and lines that were made to be slow', () => {
  const many = Array.from({ length: 5_000 }, (_, at) => `${HEAD}Anna: messaggio ${at}`).join('\n');
  expect(read(many)).toHaveLength(5_000);
  expect(read(`${HEAD}Anna: ${'<a: '.repeat(50_000)}`)).toHaveLength(1);
  expect(read(`${HEAD}Anna: ${'a.jpg '.repeat(50_000)}`)).toHaveLength(1);
  expect(read(`${HEAD}${' '.repeat(100_000)}`)).toHaveLength(1);
});
