/** Coming back: the code at the end of a conversation, the page that it opens, and what newsroom and reporter write. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Chat } from './support/chat';
import { Panel } from './support/panel';
import { giulia } from './support/people';
import { soakUnless } from './support/windows';

const CODE = /[0-9A-Z]{5}(-[0-9A-Z]{5}){3}/;
const ASKED = 'Quando arrivano i furgoni?';
const TOLD = 'Il martedì, prima delle sei.';

async function look(page: Page, state: string): Promise<void> {
  await audit(page, state);
  await expectNoSidewaysScroll(page, state);
}

/** Tells a report; gives the code that the end shows. */
async function tell(page: Page): Promise<string> {
  const chat = await Chat.open(page);
  await chat.tell(giulia);
  await chat.finish();
  const receipt = page.getByRole('region', { name: 'Ricevuta' });
  const code = CODE.exec((await receipt.textContent()) ?? '')?.[0] ?? '';
  await look(page, 'the receipt');
  await page.getByRole('button', { name: 'Salva il codice' }).click();
  const ways = page.getByRole('dialog', { name: 'Salva il codice' });
  await ways.getByRole('button', { name: 'Mostra il QR' }).click();
  await expect(ways.getByRole('img')).toBeVisible();
  await look(page, 'the QR');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    ways.getByRole('button', { name: 'Salva come file' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('codice.txt');
  await page.reload();
  await expect(receipt).toContainText(code);
  return code;
}

for (const width of [1280, 320]) {
  test.describe(`${width} pixels`, () => {
    test.use({ viewport: { width, height: 800 } });

    test('a reporter comes back', { tag: soakUnless(width === 320) }, async ({
      page,
      api,
      visit,
      logIn,
      watch,
    }) => {
      const code = await tell(page);
      await page.getByRole('link', { name: 'Segui la segnalazione' }).click();
      await expect(page.getByLabel('Il tuo codice')).toBeVisible();
      await look(page, 'the code is asked for');
      watch.expect(/status of 404.*receipts/);
      await page.getByLabel('Il tuo codice').fill('00000-00000-00000-00000');
      await page.getByRole('button', { name: 'Apri' }).click();
      await expect(page.getByText(/Nessuna segnalazione ha questo codice/)).toBeVisible();
      await look(page, 'a wrong code');
      await page.getByLabel('Il tuo codice').fill(code.toLowerCase().replaceAll('-', ' '));
      await page.getByRole('button', { name: 'Apri' }).click();
      await expect(page.getByRole('heading', { name: 'È arrivata alla redazione.' })).toBeVisible();
      await look(page, 'no message yet');

      const desk = await visit();
      await logIn(desk.context());
      const panel = new Panel(desk);
      const { id } = await api.detailOf(giulia);
      await panel.openReport(id);
      await desk.keyboard.press('w');
      const form = desk.getByRole('form', { name: 'Scrivi a chi ha segnalato' });
      await form.getByLabel('Scrivi a chi ha segnalato').fill(ASKED);
      await form.getByRole('button', { name: `Invia a ${giulia.nome}` }).click();
      await expect(panel.card('Conversazione')).toContainText(ASKED);
      await look(desk, 'the panel, a message written');

      // The clock of this page is ours.
      await page.clock.fastForward(16_000);
      await expect(page.getByText(ASKED)).toBeVisible();
      await page.getByLabel('Scrivi alla redazione').fill(TOLD);
      await page.getByRole('button', { name: 'Invia' }).click();
      await expect(page.getByRole('listitem').filter({ hasText: TOLD })).toBeVisible();
      await look(page, 'the thread');
      await page.reload();
      await expect(page.getByText(TOLD)).toBeVisible();
      expect(page.url()).not.toMatch(CODE);

      await panel.openList();
      await expect(panel.row(giulia)).toContainText('Ha risposto');
      await desk.getByRole('link', { name: /^Risposte/ }).click();
      await expect(desk).toHaveURL(/answer=true/);
      await expect(panel.rows).toHaveCount(1);
      await look(desk, 'the list, a message waits');
      await panel.open(giulia);
      await expect(desk.getByText(TOLD)).toBeVisible();
      // Reading it answers nothing: it goes on waiting.
      await panel.openList();
      await expect(panel.row(giulia)).toContainText('Ha risposto');

      await page.getByRole('button', { name: 'Esci', exact: true }).click();
      await expect(page.getByLabel('Il tuo codice')).toBeVisible();
      await expect(page.getByText(TOLD)).toHaveCount(0);
      await expect.poll(() => page.context().cookies()).toEqual([]);
    });
  });
}
