/** What stands around every page of the panel: its menu, its theme, and what it tells. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit } from './support/audit';
import { giulia, matteo } from './support/people';

const menu = (page: Page) => page.getByRole('complementary', { name: 'Barra laterale' });
const links = (page: Page) => menu(page).getByRole('navigation').getByRole('link');

test.describe('in a low window', () => {
  test.use({ viewport: { width: 1366, height: 650 } });

  test('the menu has six entries and never scrolls; it folds by itself beside a report, and as one chooses', async ({
    page,
    api,
    panel,
  }) => {
    const report = await api.tell(giulia);
    await panel.openList();
    await expect(links(page)).toHaveText([
      /^Per te/,
      /^Segnalazioni/,
      'Storie',
      'Inchieste',
      'Analytics',
      'Impostazioni',
    ]);
    // The name stands beside its mark, not below it.
    expect((await menu(page).getByTitle('Le Iene', { exact: true }).boundingBox())?.y).toBeLessThan(40);
    const width = async () => (await menu(page).boundingBox())?.width;
    expect(await width()).toBe(176);
    await links(page).filter({ hasText: 'Impostazioni' }).click();
    await expect(links(page)).toHaveCount(11);
    const fits = () => menu(page).evaluate((box) => box.scrollHeight <= box.clientHeight);
    expect(await fits()).toBe(true);
    await audit(page, 'menu with the settings');

    await panel.openReport(report);
    await expect.poll(width).toBe(56);
    expect(await fits()).toBe(true);
    await audit(page, 'rail beside a report');
    await page.keyboard.press('[');
    await expect.poll(width).toBe(176);
    await page.reload();
    await expect(panel.note).toBeVisible();
    expect(await width()).toBe(176);
  });

  test('what was done is told in a strip that covers no row, and one key takes it back', async ({
    page,
    api,
    panel,
  }) => {
    await api.tell(giulia);
    await api.tell(matteo);
    await panel.openList();
    await expect(panel.rows).toHaveCount(2);
    await page.keyboard.press('*');
    await page.keyboard.press('3');
    const told = page.getByText('2 segnalazioni risolte');
    await expect(told).toBeInViewport();
    const strip = await told.locator('..').locator('..').boundingBox();
    expect(strip && [strip.height, strip.y + strip.height]).toEqual([56, 650]);
    await audit(page, 'a toast');
    await page.keyboard.press('z');
    await expect(page.getByText('Annullato. 2 segnalazioni come prima')).toBeInViewport();
    expect((await api.list()).counters).toMatchObject({ new: 2, resolved: 0 });

    await page.keyboard.press('*');
    await page.keyboard.press('4');
    await expect(page.getByText('2 segnalazioni archiviate')).toBeVisible();
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await expect(panel.heading('Ultime modifiche')).toBeVisible();
    await audit(page, 'the last changes');
    await page
      .getByRole('main')
      .getByRole('button', { name: /^Annulla.*2 segnalazioni archiviate/ })
      .click();
    await expect(page.getByText('Niente da annullare')).toBeVisible();
    expect((await api.list()).counters).toMatchObject({ new: 2 });
  });
});

test('each person chooses light or dark, before the login too', async ({ page, panel, watch }) => {
  watch.expect(/status of 401.*\/session/);
  await panel.openList();
  const theme = page.locator('html');
  await expect(theme).toHaveAttribute('data-theme', 'dark');
  await page.getByTitle('Accesso, tema, scorciatoie, uscita').click();
  await page.getByRole('radio', { name: 'Chiaro' }).check();
  await expect(theme).toHaveAttribute('data-theme', 'light');
  await audit(page, 'light, by choice');
  await page.keyboard.press('Escape');
  await panel.logOut();
  await page.reload();
  await expect(panel.heading('Accesso al pannello')).toBeVisible();
  await expect(theme).toHaveAttribute('data-theme', 'light');
});

test('keys pressed while a page is still coming reach it, on a slow machine too', async ({
  page,
  api,
  panel,
  context,
}) => {
  await api.tell(giulia);
  await page.goto('/paibeta/admin/analytics');
  await expect(panel.heading('Analytics')).toBeVisible();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  for (const key of ['g', 's', '/']) {
    await page.keyboard.press(key);
  }
  await page.keyboard.type('giulia');
  await expect(page.getByRole('combobox', { name: 'Cerca o filtra' })).toHaveValue('giulia');
});
