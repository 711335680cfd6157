/**
 * Papers that a browser does not show by itself, read in the panel: a mail, a conversation that WhatsApp exported. That a page
 * calls somebody else, or breaks, fails the test by itself (`support/watch.ts`).
 */
import { deflateRawSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Chat } from './support/chat';
import { Panel } from './support/panel';
import { giulia } from './support/people';
import { png } from './support/picture';

function number(value: number, length: 2 | 4): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes.subarray(0, length);
}

function zip(files: Readonly<Record<string, Buffer>>): Buffer {
  const [bodies, list]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = deflateRawSync(content);
    const about = Buffer.concat([
      Buffer.from([20, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
      number(packed.length, 4),
      number(content.length, 4),
      number(Buffer.byteLength(name), 2),
      number(0, 2),
    ]);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), about, Buffer.from(name), packed]);
    bodies.push(body);
    list.push(Buffer.from('PK\x01\x02\x14\0'), about, Buffer.alloc(10), number(at, 4), Buffer.from(name));
    at += body.length;
  }
  const directory = Buffer.concat(list);
  const count = number(Object.keys(files).length, 2);
  const end = [number(0, 4), count, count, number(directory.length, 4), number(at, 4), number(0, 2)];
  return Buffer.concat([...bodies, directory, Buffer.from('PK\x05\x06'), ...end]);
}

const SPY = 'http://example.com/spia.gif';
const MAIL = Buffer.from(
  [
    'From: Ufficio <ufficio@example.it>',
    'To: Giulia <giulia@example.it>',
    'Date: Mon, 2 Mar 2026 09:00:00 +0100',
    'Subject: =?utf-8?Q?Perch=C3=A9_no?=',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/html; charset=utf-8',
    '',
    `<p>Il contratto &egrave; falso.</p><script>alert(1)</script><img src="${SPY}" onerror="alert(1)">`,
    '--b',
    'Content-Type: message/rfc822',
    'Content-Disposition: attachment; filename="postacert.eml"',
    '',
    'From: capo@example.it',
    'Subject: prima',
    '',
    'Firmate e basta.',
    '--b--',
  ].join('\r\n'),
);
const CHAT = [
  '[12/03/24, 14:05:11] Capo: \u200eI messaggi sono crittografati end-to-end.',
  '[12/03/24, 14:05:40] Capo: Firma tu al posto suo',
  'e non fare domande.',
  '\u200e[12/03/24, 14:06:02] Giulia: \u200e<allegato: 00000002-PHOTO-2024-03-12-14-06-02.png>',
  ...Array.from({ length: 300 }, (_, at) => `[12/03/24, 15:00:00] Capo: messaggio ${at}`),
].join('\r\n');
const EXPORT = zip({
  '_chat.txt': Buffer.from(CHAT),
  '00000002-PHOTO-2024-03-12-14-06-02.png': png(64, 64, [128, 128, 128]),
  '../../fuori.txt': Buffer.from('Nota: <script>alert(1)</script>'),
});
const BOMB = zip({ 'zeri.txt': Buffer.alloc(64 * 1024 * 1024, '0') });

/** A report with these files. */
async function reportWith(page: Page, files: Readonly<Record<string, Buffer>>): Promise<void> {
  const chat = await Chat.open(page);
  await chat.tell(giulia);
  for (const [index, [name, buffer]] of Object.entries(files).entries()) {
    await page.getByLabel('Allega file').setInputFiles({ name, mimeType: '', buffer });
    // They are numbered as they come.
    await expect(page.getByText(/^Allegato, /)).toHaveCount(index + 1);
  }
  await chat.finish();
}

for (const theme of ['light', 'dark'] as const) {
  test.describe(theme, () => {
    test.use({ theme });

    test('a mail and an exported conversation are read where the report is', async ({
      page,
      context,
      logIn,
      api,
    }) => {
      const dialogs: string[] = [];
      context.on('dialog', (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      await reportWith(page, { 'mail.eml': MAIL, 'Chat WhatsApp con Capo.zip': EXPORT, 'bomba.zip': BOMB });
      await logIn(context);
      const { id } = await api.detailOf(giulia);
      await new Panel(page).openReport(id);

      await page.getByRole('button', { name: 'Apri mail.eml' }).click();
      const box = page.getByRole('dialog');
      await expect(box.getByText('Ufficio <ufficio@example.it>')).toBeVisible();
      await expect(box.getByText('Perché no')).toBeVisible();
      await expect(box.getByText('Il contratto è falso.')).toBeVisible();
      await audit(page, `a mail, ${theme}`);
      await box.getByRole('button', { name: 'Apri postacert.eml' }).press('Enter');
      await expect(box.getByText('Firmate e basta.')).toBeVisible();
      await page.screenshot({ path: test.info().outputPath(`mail-${theme}.png`) });

      await page.getByRole('button', { name: 'File successivo' }).click();
      await expect(box.getByText('303 messaggi di 2 persone')).toBeVisible();
      await expect(box.getByText('Firma tu al posto suo\ne non fare domande.')).toBeVisible();
      const picture = box.getByRole('img', { name: '00000002-PHOTO-2024-03-12-14-06-02.png' });
      await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(64);
      await audit(page, `a conversation, ${theme}`);
      await page.screenshot({ path: test.info().outputPath(`conversation-${theme}.png`) });
      await expect(box.getByText('messaggio 299')).toHaveCount(0);
      await box.getByRole('button', { name: /^Mostra altri/ }).click();
      await expect(box.getByText('messaggio 299')).toHaveCount(1);
      await box.getByText('Tutti i file dell’archivio').click();
      await box.getByRole('button', { name: 'Apri fuori.txt' }).click();
      await expect(box.getByText('Nota: <script>alert(1)</script>')).toBeVisible();
      await page.setViewportSize({ width: 390, height: 844 });
      await expectNoSidewaysScroll(page, 'a conversation on a phone');
      await page.screenshot({ path: test.info().outputPath(`conversation-phone-${theme}.png`) });

      await page.getByRole('button', { name: 'File successivo' }).click();
      await box.getByRole('button', { name: 'Apri zeri.txt' }).click();
      await expect(box.getByRole('alert')).toHaveText(
        'Questo testo è troppo lungo per mostrarlo qui: scaricalo.',
      );
      expect(dialogs).toEqual([]);
    });
  });
}
