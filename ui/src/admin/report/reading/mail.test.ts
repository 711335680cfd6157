import { expect, it } from 'vitest';
import { readMail } from './mail';

const lines = (...all: string[]) => new Blob([all.join('\r\n')]);

it('reads a mail of letters', async () => {
  const mail = await readMail(
    lines(
      'From: =?utf-8?Q?L=27ufficio?= <a@example.it>',
      'To: Anna <b@example.it>, c@example.it',
      'Date: Mon, 2 Mar 2026 09:00:00 +0100',
      'Subject: =?iso-8859-1?Q?Perch=E9?=',
      '',
      'ciao',
    ),
  );
  expect(mail).toMatchObject({
    facts: [
      ['Da', "L'ufficio <a@example.it>"],
      ['A', 'Anna <b@example.it>, c@example.it'],
      ['Data', 'Mon, 2 Mar 2026 09:00:00 +0100'],
      ['Oggetto', 'Perché'],
    ],
    text: 'ciao',
    fromPage: false,
    parts: [],
  });
});

it('takes the words out of a page, and nothing else', async () => {
  const mail = await readMail(
    lines(
      'From: a@example.it',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<html><head><style>p{color:red}</style></head><body onload="alert(1)"><p>Perch&eacute; &rsquo;no&rsquo;</p>',
      '<script>alert(1)</script><img src="http://example.com/spia.gif"><a href="http://example.com/x">qui</a></body></html>',
    ),
  );
  expect(mail.fromPage).toBe(true);
  expect(mail.text).toBe('Perché ’no’\n\n (http://example.com/x) qui');
});

it('lists the parts, a certified mail within its envelope too', async () => {
  const mail = await readMail(
    lines(
      'From: posta-certificata@pec.example.it',
      'Subject: POSTA CERTIFICATA: prova',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'Messaggio di posta certificata',
      '--b',
      'Content-Type: application/xml; name="daticert.xml"',
      'Content-Disposition: inline; filename="daticert.xml"',
      '',
      '<postacert/>',
      '--b',
      'Content-Type: message/rfc822; name="postacert.eml"',
      'Content-Disposition: inline; filename="postacert.eml"',
      '',
      'From: a@pec.example.it',
      'Subject: prova',
      '',
      'Il contratto è falso.',
      '--b',
      'Content-Type: message/rfc822',
      '',
      'From: c@example.it',
      '',
      'senza nome',
      '--b--',
    ),
  );
  expect(mail.text).toBe('Messaggio di posta certificata');
  expect(mail.parts.map(({ name }) => name)).toEqual(['daticert.xml', 'postacert.eml', 'messaggio 3.eml']);
  const inner = await readMail(mail.parts[1]?.content as Blob);
  expect(inner.text).toBe('Il contratto è falso.');
});

it('gets through ten thousand parts, and says of parts within parts without end that it does not', async () => {
  const parts = Array.from(
    { length: 10_000 },
    (_, at) => `--x\r\nContent-Type: application/pdf\r\n\r\n${at}`,
  );
  const many = await readMail(
    lines('From: a@b.it', 'Content-Type: multipart/mixed; boundary=x', '', ...parts, '--x--'),
  );
  expect(many.parts).toHaveLength(10_000);
  const nested = Array.from(
    { length: 500 },
    (_, at) => `--x${at}\r\nContent-Type: multipart/mixed; boundary=x${at + 1}\r\n`,
  );
  const deep = readMail(lines('From: a@b.it', 'Content-Type: multipart/mixed; boundary=x0', '', ...nested));
  await expect(deep).rejects.toThrow(/non si riesce a leggere/);
});
