/** Working through reports by keyboard, and through the demonstration's door. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { holdNext } from './support/hold';
import { giulia, matteo, nicolo, somebody } from './support/people';

const sheet = (page: Page) => page.getByRole('dialog', { name: 'Scorciatoie da tastiera' });
const box = (page: Page) => page.getByRole('combobox', { name: 'Cerca o filtra' });
const press = (page: Page, ...keys: string[]) =>
  keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());

test.describe('in the newsroom', () => {
  test('a working day without a mouse', async ({ page, api, panel }) => {
    await api.tell(giulia);
    await api.tell(matteo);
    await api.tell(nicolo);
    await panel.openList();
    await expect(panel.rows).toHaveCount(3);
    const link = (index: number) => panel.rows.nth(index).getByRole('link', { name: 'Apri' });

    await press(page, 'j');
    await expect(link(0)).toBeFocused();
    await press(page, 'j', 'j', 'j');
    await expect(link(2)).toBeFocused();
    await press(page, 'k', 'k', 'k');
    await expect(link(0)).toBeFocused();
    await press(page, 'f', '1');
    await expect(page).toHaveURL(/\?stato=Nuova$/);
    // The address changes before the page is drawn anew.
    await expect(page.getByLabel('Stato', { exact: true })).toHaveValue('Nuova');
    await press(page, 'Enter');
    await expect(panel.name).toHaveText('Nicolò Sartori');

    await expect(panel.note).toBeVisible();
    await press(page, '3');
    await panel.hasStato('Risolta');
    // Saved, and not only shown: the note is saved on top of it.
    await expect(page.getByText('Risolta: Nicolò Sartori')).toBeVisible();
    await press(page, 'n');
    await expect(panel.note).toBeFocused();
    await page.keyboard.type('jk 1234 px?/');
    await expect(panel.note).toHaveValue('jk 1234 px?/');
    await press(page, 'Control+Enter');
    await panel.saved();
    await expect.poll(() => api.detailOf(nicolo)).toMatchObject({ stato: 'Risolta', note: 'jk 1234 px?/' });

    // Solved, it left the list of new ones; the next in that list is still the one below it.
    await panel.name.focus();
    await press(page, 'j');
    await expect(panel.name).toHaveText('Matteo D’Angelo');
    await press(page, 'j');
    await expect(panel.name).toHaveText('Giulia Ferraro');
    await press(page, 'j');
    await expect(page.getByText('Questa è l’ultima segnalazione dell’elenco.')).toBeVisible();
    await press(page, 'k');
    await expect(panel.name).toHaveText('Matteo D’Angelo');
    // The name is there before the report is.
    await expect(panel.note).toBeVisible();
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'p')]);
    expect(download.suggestedFilename()).toMatch(/^segnalazione_.*_Matteo_D’Angelo\.pdf$/);
    await press(page, 't');
    await expect(page).toHaveURL(/\?stato=Nuova$/);
    await expect(panel.rows).toHaveCount(2);

    await press(page, '/');
    await expect(box(page)).toBeFocused();
    await page.keyboard.type('giulia');
    await expect(panel.rows).toHaveCount(1);
    await expect(box(page)).toHaveValue('giulia');
    await press(page, 'Tab');
    await press(page, 'f', '0');
    await expect(page).toHaveURL(/\/reports$/);
    await expect(panel.rows).toHaveCount(3);
    await press(page, 'j', 'o');
    await expect(panel.name).toHaveText('Nicolò Sartori');
    await press(page, 'g', 's');
    await expect(panel.heading('Segnalazioni')).toBeVisible();
  });

  test('forty new ones and five answers are done by keyboard alone, by three keys a report and the text', async ({
    page,
    api,
    panel,
  }) => {
    for (let at = 41; at <= 45; at += 1) {
      const { id, code } = await api.tellForCode(somebody(at));
      await api.change(id, { stato: 'In lavorazione' });
      await api.writeBack(code, 'Dopo le due del pomeriggio, al cellulare.');
    }
    await api.tellMany(Array.from({ length: 40 }, (_, at) => somebody(at + 1)));
    const { data } = await api.list('?todo=true&limit=200');
    const why = new Map(data.map(({ id, todo }) => [id, todo?.why]));
    expect(why.size).toBe(45);
    await panel.openList('?todo=true');
    await expect(panel.tab('Da fare')).toHaveText('Da fare 45');
    await expect(panel.rows).toHaveCount(45);
    let opening = ['j', 'Enter'];
    for (let left = 45; left > 0; left -= 1) {
      const before = page.url();
      await press(page, ...opening);
      await expect(page).not.toHaveURL(before);
      // Each is come to once: what is done, and nothing else, is passed over.
      const id = page.url().split('/').at(-1) ?? '';
      const answers = why.get(id) === 'answer';
      expect(why.delete(id)).toBe(true);
      const keys = answers ? ['w', 'Control+Enter'] : ['e'];
      expect(opening.length + keys.length).toBeLessThanOrEqual(3);
      await press(page, ...keys.slice(0, 1));
      if (answers) {
        await page.keyboard.type('Grazie, la chiamiamo alle tre.');
      }
      await press(page, ...keys.slice(1));
      opening = ['j'];
    }
    await press(page, 't');
    await expect(page.getByRole('heading', { name: 'Niente da fare' })).toBeVisible();
    await expect(page.getByRole('img', { name: 'Oggi: 45 guardate, 5 risposte date' })).toBeVisible();
    await expect(panel.tab('Da fare')).toHaveText('Da fare');
    await audit(page, 'nothing to do');
  });

  test('keys pressed while a decision is on its way act on the rows as they are then', async ({
    page,
    api,
    panel,
  }) => {
    await api.tellMany([1, 2, 3, 4, 5].map(somebody));
    await panel.openList('?todo=true');
    await expect(panel.rows).toHaveCount(5);
    const done = await holdNext(page, /\/reports\/bulk$/);
    await press(page, 'j', 'e', 'e', 'e', 'j', 'x');
    done.release();
    await expect(panel.rows).toHaveCount(2);
    await expect(panel.rows.nth(1).getByRole('checkbox')).toBeChecked();
    await expect.poll(async () => (await api.list('?todo=true')).matching).toBe(2);
    // A status that takes a row out of the list likewise.
    const filed = await holdNext(page, /\/reports\/bulk$/);
    await press(page, 'x', 'k', '4', '4');
    filed.release();
    await expect(page.getByRole('heading', { name: 'Niente da fare' })).toBeVisible();
    await expect.poll(async () => (await api.list('?stato=Archiviata')).matching).toBe(2);
  });

  test('the end of what is to do leads to what was passed over at its beginning', async ({
    page,
    api,
    panel,
  }) => {
    await api.tell(giulia);
    await api.tell(matteo);
    await api.tell(nicolo);
    await panel.openList('?todo=true');
    await expect(panel.rows).toHaveCount(3);
    await press(page, 'j', 'j', 'Enter');
    await expect(panel.name).toHaveText('Matteo D’Angelo');
    await press(page, 'e', 'j');
    await expect(panel.name).toHaveText('Giulia Ferraro');
    await press(page, 'e', 'j');
    await expect(panel.name).toHaveText('Nicolò Sartori');
    await press(page, 'e', 'j');
    await expect(page.getByText('Questa è l’ultima segnalazione dell’elenco.')).toBeVisible();
    await press(page, 't');
    await expect(page.getByRole('heading', { name: 'Niente da fare' })).toBeVisible();
  });

  test('from one report to the next across the pages of the list', async ({ page, api, panel }) => {
    await api.enterMany(Array.from({ length: 51 }, (_, index) => somebody(index + 1)));
    await panel.openList();
    await expect(panel.rows).toHaveCount(50);
    const last = panel.rows.nth(49);
    const name = (await last.getByRole('rowheader').locator('span').first().textContent()) ?? '';
    await last.getByRole('link', { name: 'Apri' }).click();
    await expect(panel.name).toHaveText(name);
    await press(page, 'j');
    await expect(panel.name).not.toHaveText(name);
    await expect(panel.note).toBeVisible();
    const beyond = (await panel.name.textContent()) ?? '';
    await press(page, 't');
    await expect(panel.rows).toHaveCount(1);
    await expect(panel.rows).toContainText(beyond);
    await panel.rows.getByRole('link', { name: 'Apri' }).click();
    await expect(panel.name).toHaveText(beyond);
    await press(page, 'k');
    await expect(panel.name).toHaveText(name);
  });

  test('the first of two keys shows what may follow', async ({ page, panel }) => {
    await panel.openList();
    await press(page, 'f');
    const hint = page.getByRole('status').filter({ hasText: 'poi' });
    await expect(hint).toContainText('Mostra solo: Archiviata');
    await audit(page, 'first of two keys');
    await press(page, 'z');
    await expect(hint).toHaveCount(0);
    await press(page, '4');
    await expect(page).toHaveURL(/\/reports$/);
  });

  test('the sheet explains the keys of the page and turns them off, for good', async ({ page, panel }) => {
    await panel.openList();
    await press(page, '?');
    await expect(sheet(page)).toBeVisible();
    await expect(sheet(page).getByLabel('Usa le scorciatoie')).toBeFocused();
    await expect(sheet(page)).toContainText('Riga successiva');
    await expect(sheet(page)).toContainText('Vai alle segnalazioni');
    await expect(sheet(page)).not.toContainText('note interne');
    await audit(page, 'sheet of shortcuts');
    const use = sheet(page).getByLabel('Usa le scorciatoie');
    await use.uncheck();
    await press(page, 'Escape');
    await expect(sheet(page)).toBeHidden();
    await press(page, '/');
    await expect(box(page)).not.toBeFocused();

    await page.reload();
    await expect(panel.heading('Segnalazioni')).toBeVisible();
    await press(page, '?');
    await expect(sheet(page)).toBeHidden();
    await panel.press('Scorciatoie');
    await expect(use).not.toBeChecked();
    await use.check();
    await sheet(page).getByRole('button', { name: 'Chiudi' }).click();
    await press(page, '/');
    await expect(box(page)).toBeFocused();
  });

  test.describe('in a small window by day', () => {
    test.use({ theme: 'light', colorScheme: 'light', viewport: { width: 320, height: 640 } });

    test('the sheet fits a phone, where the menu leads to it', async ({ page, panel }) => {
      await panel.openList();
      await page.getByRole('button', { name: 'Apri il menu' }).click();
      await panel.press('Scorciatoie');
      await expect(sheet(page)).toBeVisible();
      await expectNoSidewaysScroll(page, 'sheet of shortcuts');
      await audit(page, 'sheet of shortcuts on a phone');
    });
  });
});

test.describe('whoever wrote, set aside', () => {
  test.use({ viewport: { width: 1366, height: 650 } });

  test('leaves the lists with what they send, and is taken back', async ({ page, api, panel }) => {
    const id = await api.tell(giulia);
    await api.tell(matteo);
    await panel.openReport(id);
    const line = page.locator('summary').filter({ hasText: 'Chi scrive è da parte' });
    await expect(line).toHaveCount(0);
    await page.getByRole('button', { name: 'Altro', exact: true }).click();
    await expect(page.getByText('ma resta fuori da elenchi, conteggi e avvisi')).toBeInViewport({ ratio: 1 });
    await audit(page, 'what setting a sender aside means');
    await page.getByRole('button', { name: 'Metti da parte chi scrive' }).click();
    await expect(line).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('status').getByText('Chi scrive è da parte: Giulia Ferraro')).toBeVisible();
    // At once undone, and done again by its key.
    await page.getByRole('button', { name: 'Annulla' }).click();
    await expect(line).toHaveCount(0);
    await panel.name.click();
    await press(page, 'd');
    await expect(line).toBeVisible();
    await audit(page, 'a report whose sender is set aside');

    await panel.openList();
    await expect(panel.rows).toHaveCount(1);
    await expect(panel.row(giulia)).toHaveCount(0);
    await panel.narrow('messe', 'Messe da parte');
    await expect(page).toHaveURL(/\?aside=true$/);
    await expect(panel.rows).toHaveCount(1);
    await panel.open(giulia);
    await page.getByRole('button', { name: 'Riprendi', exact: true }).click();
    await expect(line).toHaveCount(0);
    await panel.openList();
    await expect(panel.rows).toHaveCount(2);
  });

  test('is shown to a reader, who cannot change it', async ({ page, server, api, panel, context }) => {
    const id = await api.tell(giulia);
    await api.fetch('PUT', `/reports/${id}/sender-aside`);
    const reader = await api.welcome(
      { name: 'Luca Neri', user: 'luca', role: 'lettore', departments: [] },
      'sette lampioni lungo il viale',
    );
    await context.addCookies([{ ...reader.cookie, url: server.origin, httpOnly: true, sameSite: 'Strict' }]);
    await panel.openReport(id);
    await expect(page.locator('summary').filter({ hasText: 'Chi scrive è da parte' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Riprendi' })).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Altro', exact: true })).toHaveCount(0);
    await press(page, 'd');
    const left = await api.fetch('GET', '/reports?aside=true');
    expect(await left.json()).toMatchObject({ matching: 1 });
  });
});

for (const [width, height] of [
  [1366, 650],
  [390, 844],
  [320, 568],
] as const) {
  test(`what was done stands above a dialog, whole, at ${width} px`, async ({ page, api, panel }) => {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ forcedColors: 'active' });
    const id = await api.tell(giulia);
    await panel.openReport(id);
    const toast = page.getByRole('status').getByText('Chi scrive è da parte: Giulia Ferraro');
    const undo = page.getByRole('button', { name: 'Annulla' }).and(page.locator('[aria-keyshortcuts="z"]'));
    await panel.name.click();
    await press(page, 'd');
    await expect(toast).toBeInViewport({ ratio: 1 });
    expect(await toast.evaluate((text) => text.scrollHeight <= text.clientHeight + 1)).toBe(true);
    await expect(undo).toBeInViewport({ ratio: 1 });
    await audit(page, 'a toast with forced colours');
    await panel.name.click();
    await press(page, 'h');
    const dialog = page.getByRole('dialog', { name: 'Rinvia' });
    await expect(dialog.getByText('Chi scrive è da parte: Giulia Ferraro')).toBeInViewport({ ratio: 1 });
    await audit(page, 'a toast in a dialog');
    await dialog.locator('[aria-keyshortcuts="z"]').click();
    await expect(dialog.getByText('Chi scrive non è più da parte')).toBeVisible();
    await expectNoSidewaysScroll(page, 'a toast in a dialog');
  });
}
