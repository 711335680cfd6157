/** A photo travels with a report: chosen, sent, listed before the end, and looked at in the panel. */
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Chat } from './support/chat';
import { Panel } from './support/panel';
import { giulia } from './support/people';
import { png } from './support/picture';

/** A grey square of 64 pixels. */
const picture = () => png(64, 64, [128, 128, 128]);

test('a photo goes with the account, and is shown in the panel', async ({ page, context, logIn }) => {
  const chat = await Chat.open(page);
  await chat.tell(giulia);
  const input = page.getByLabel('Allega file');
  await input.setInputFiles({ name: 'la piazza.png', mimeType: 'image/png', buffer: picture() });
  await expect(page.getByText('Allegato, 1 kB', { exact: true })).toBeVisible();
  await input.setInputFiles({ name: 'gatto.jpg', mimeType: 'image/jpeg', buffer: Buffer.alloc(0) });
  await expect(
    page.getByText('Non allegato. Il file è vuoto: controllalo e allegalo di nuovo.', { exact: true }),
  ).toBeVisible();
  await audit(page, 'files beside the last question');
  await expectNoSidewaysScroll(page, 'files beside the last question');
  await page.screenshot({ path: test.info().outputPath('chat.png') });
  await page.getByRole('button', { name: 'Togli gatto.jpg' }).click();
  await chat.finish();

  await logIn(context);
  const panel = new Panel(page);
  await panel.openList();
  await panel.open(giulia);
  const preview = page.getByRole('button', { name: 'Apri la piazza.png' });
  await expect(preview).toBeInViewport();
  await preview.click();
  const shown = page.getByRole('img', { name: 'la piazza.png' });
  await expect(shown).toBeVisible();
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(64);
  await audit(page, 'a picture in the report');
  await page.screenshot({ path: test.info().outputPath('panel.png'), fullPage: true });
});

test('a reporter who comes back sends a photo', async ({ page, visit, api, logIn }) => {
  const chat = await Chat.open(page);
  await chat.tell(giulia);
  await chat.finish();
  const receipt = page.getByRole('region', { name: 'Ricevuta' });
  const code = /[0-9A-Z]{5}(-[0-9A-Z]{5}){3}/.exec((await receipt.textContent()) ?? '')?.[0] ?? '';
  await page.getByRole('link', { name: 'Segui la segnalazione' }).click();
  await page.getByLabel('Il tuo codice').fill(code);
  await page.getByRole('button', { name: 'Apri' }).click();
  await page
    .getByLabel('Allega file')
    .setInputFiles({ name: 'la piazza.png', mimeType: 'image/png', buffer: picture() });
  await expect(page.getByText('Allegato, 1 kB', { exact: true })).toBeVisible();
  const keys = await page.evaluate(() => Object.keys(sessionStorage).sort());
  expect(keys, 'under the name of the product').toEqual([
    'pelazzai_chat',
    'pelazzai_files_seguito',
    'pelazzai_seguito',
  ]);
  await audit(page, 'a file beside the message');
  await expectNoSidewaysScroll(page, 'a file beside the message');
  await page.getByRole('button', { name: 'Invia', exact: true }).click();
  await expect(page.getByText('Allego: la piazza.png')).toBeVisible();
  const own = page.getByRole('region', { name: 'I tuoi file' });
  await expect(own.getByRole('strong').getByText('la piazza.png')).toBeVisible();
  await audit(page, 'the files of the report');
  await expectNoSidewaysScroll(page, 'the files of the report');
  await page.screenshot({ path: test.info().outputPath('seguito.png'), fullPage: true });

  const desk = await visit();
  await logIn(desk.context());
  const panel = new Panel(desk);
  const { id } = await api.detailOf(giulia);
  await panel.openReport(id);
  await expect(panel.card('Conversazione').getByText('Con 1 file')).toBeVisible();
  await desk.getByRole('button', { name: 'Apri la piazza.png' }).click();
  await expect(desk.getByText(/con il messaggio del/)).toBeVisible();
  await expect(desk.getByRole('img', { name: 'la piazza.png' })).toBeVisible();
});
