/** The last page before a report leaves: everything can be seen, mended and added to, and one button sends it. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Chat, REPLY_DELAY } from './support/chat';
import { holdNext } from './support/hold';
import { answersOf, giulia, type Person } from './support/people';
import { png } from './support/picture';
import { expectInSight, expectNoTaller, inEveryWindow, tryToScroll, WINDOWS } from './support/windows';

const END = 'E questa è la fine del racconto.';
const LINES = Array.from(
  { length: 30 },
  (_, line) => `Riga ${line + 1}: nessuno in Comune trova il permesso.`,
);
const teller: Person = { ...giulia, segnalazione: [...LINES, END].join('\n') };
const NOTHING_YET = 'Non abbiamo ancora ricevuto nulla: parte quando premi.';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const photo = (name: string) => ({ name, mimeType: 'image/png', buffer: png(64, 64, [128, 90, 60]) });
const paper = { name: 'turni.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\nturni') };

/** A conversation at the review, with two photos and a paper. */
async function withFiles(page: Page): Promise<Chat> {
  const chat = await Chat.open(page);
  for (const text of answersOf(teller).slice(0, 6)) {
    await chat.answer(text);
  }
  await page.getByLabel('Allega file').setInputFiles([photo('polsi.png'), photo('registro.png'), paper]);
  await expect(page.getByText(/^Allegato, /)).toHaveCount(3);
  await chat.answer(teller.segnalazione);
  await expect(chat.review).toBeVisible();
  return chat;
}

test('all of it can be seen in every window, and sent', async ({ page, api }) => {
  await page.setViewportSize(WINDOWS[0]);
  const chat = await withFiles(page);
  await expect(page.getByRole('heading', { name: 'Controlla e invia' })).toBeFocused();
  const pictures = chat.review.locator('li img');
  const heading = page.getByRole('heading', { name: 'Controlla e invia' });
  await inEveryWindow(page, async () => {
    await heading.scrollIntoViewIfNeeded();
    await expectInSight({
      heading,
      button: chat.submit,
      note: page.getByText(NOTHING_YET),
    });
    await expectNoTaller(page);
    await expectNoSidewaysScroll(page, 'review');
    // Everything is folded to ten lines, and comes whole.
    const account = chat.review.getByText(LINES[0] ?? '');
    const seen = () => account.evaluate((element) => element.clientHeight / 1.5 / 17);
    expect(await seen()).toBeLessThan(10.5);
    await button(page, 'Mostra tutto').click();
    expect(await seen()).toBeGreaterThan(30);
    await button(page, 'Mostra meno').scrollIntoViewIfNeeded();
    await expectInSight({ 'Mostra meno': button(page, 'Mostra meno'), button: chat.submit });
    await button(page, 'Mostra meno').click();
    expect(await seen()).toBeLessThan(10.5);
    // Photos are pictures; a paper is a sign.
    await expect(pictures).toHaveCount(2);
    await pictures.last().scrollIntoViewIfNeeded();
    await expect(pictures.last()).toBeInViewport({ ratio: 0.9 });
    await expectInSight({ button: chat.submit });
    expect(await pictures.last().evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(64);
  });
  await button(page, 'Togli registro.png').click();
  await expect(pictures).toHaveCount(1);
  await button(page, 'Aggiungi qualcosa').click();
  await expect(chat.box).toBeFocused();
  await chat.box.fill('Succede ogni notte.');
  await inEveryWindow(page, async () => {
    await expectInSight({ button: chat.submit });
    await tryToScroll(page);
    await expectNoTaller(page);
    await expectInSight({ button: chat.submit });
  });
  await chat.submit.click();
  await page.clock.fastForward(REPLY_DELAY);
  await expect(chat.closing).toBeVisible();
  const { segnalazione, attachments } = await api.detailOf(teller);
  expect(segnalazione).toBe(`${teller.segnalazione}\n\nINFORMAZIONI AGGIUNTIVE\nSuccede ogni notte.`);
  expect(attachments?.map(({ name }) => name).sort()).toEqual(['polsi.png', 'turni.pdf']);
});

test('a file that is gone is told at the file, and nothing is sent without it', async ({
  page,
  api,
  watch,
}) => {
  watch.expect(/status of 409/, /status of 404/);
  await page.setViewportSize(WINDOWS[0]);
  const begun = page.waitForResponse(
    (answer) => answer.status() === 201 && /attachments$/.test(answer.url()),
  );
  const chat = await withFiles(page);
  const first = await begun;
  // As from another tab.
  await page.request.delete(first.headers().location ?? '', {
    headers: await first.request().allHeaders(),
  });
  await chat.submit.click();
  await page.clock.fastForward(REPLY_DELAY);
  const gone = chat.review.getByRole('listitem').filter({ hasText: 'Non c’è più: allegalo di nuovo.' });
  await expect(gone).toHaveCount(1);
  await expect(gone.locator('small')).toBeInViewport({ ratio: 1 });
  const name = (await gone.locator('strong').textContent()) ?? '';
  await expect(page.getByText(`${name} non c'è più: allegalo di nuovo.`)).toBeVisible();
  await expect(page.getByText(NOTHING_YET)).toBeVisible();
  await inEveryWindow(page, async () => {
    const again = button(page, `Allega di nuovo ${name}`);
    await again.scrollIntoViewIfNeeded();
    await expect(again).toBeInViewport({ ratio: 0.9 });
    await expectInSight({ button: chat.submit });
    await expectNoSidewaysScroll(page, 'a file that is gone');
  });
  await audit(page, 'a file that is gone');
  await chat.submit.click();
  await expect(page.getByText('allegalo di nuovo oppure toglilo, poi invia')).toBeVisible();
  await button(page, `Allega di nuovo ${name}`).click();
  await expect(chat.review.getByText(/^Allegato, /)).toHaveCount(3);
  await chat.submit.click();
  await page.clock.fastForward(REPLY_DELAY);
  await expect(chat.closing).toBeVisible();
  expect((await api.detailOf(teller)).attachments).toHaveLength(3);
});

test('is accessible, with files, an addition and a refusal', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const chat = await withFiles(page);
  await audit(page, 'review');
  await chat.answer('Ne ho parlato con un avvocato');
  await expect(chat.box).toBeFocused();
  await expect(chat.box).toHaveAccessibleDescription(/Togli la parola «avvocato»/);
  await expectInSight({ refusal: chat.refusal.first(), button: chat.submit, box: chat.box });
  await audit(page, 'a refused addition');
  await expectNoTaller(page);
});

test('a reload keeps the page, the files by their kind and what was being added', async ({ page }) => {
  const chat = await withFiles(page);
  await chat.add('Una cosa ancora');
  await page.reload();
  await chat.alive();
  await expect(chat.submit).toBeVisible();
  await expect(chat.box).toHaveValue('Una cosa ancora');
  await expect(chat.review.locator('li img')).toHaveCount(0);
  await expect(chat.review.locator('li svg')).toHaveCount(3);
  await expect(chat.review.getByRole('strong').filter({ hasText: 'polsi.png' })).toBeVisible();
});

test('a file that is still on its way is waited for, with a word beside the button', async ({ page }) => {
  const chat = await Chat.open(page);
  await chat.tell(giulia);
  const line = await holdNext(page, /\/chat\/attachments\/[^/]+$/);
  await page.getByLabel('Allega file').setInputFiles(photo('tardi.png'));
  await chat.submit.click();
  await expectInSight({
    'Un file sta ancora arrivando': page.getByText(/^Un file sta ancora arrivando/),
    button: chat.submit,
  });
  line.release();
  await expect(page.getByText('Allegato, 1 kB', { exact: true })).toBeVisible();
  await expect(page.getByText(/^Un file sta ancora arrivando/)).toBeHidden();
  await chat.finish();
});

test.describe('with a microphone', () => {
  test.use({ permissions: ['microphone'] });

  test('a voice is added here, and goes along by itself', async ({ page, api }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    const chat = await Chat.open(page);
    await chat.tell(giulia);
    await button(page, 'Registra un vocale').click();
    await expect(page.getByText('0:01', { exact: true })).toBeVisible();
    await chat.submit.click();
    await expect(page.getByRole('region', { name: 'Vocale' })).toBeHidden();
    await expect(page.getByText(/^Allegato, /)).toBeVisible();
    await chat.finish();
    expect((await api.detailOf(giulia)).attachments).toMatchObject([{ type: 'audio/webm' }]);
  });
});
