/** List and report side by side: from one to the next without leaving the list, each choice saved at once. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { giulia, matteo, nicolo, somebody } from './support/people';

/** The pages that were loaded as a whole so far. */
const loads = (page: Page) => page.evaluate(() => performance.getEntriesByType('navigation').length);
const mark = (page: Page) => page.evaluate(() => Object.assign(window, { stayed: true }));
const stayed = (page: Page) => page.evaluate(() => 'stayed' in window);

test('the list stays beside the report, which has an address of its own; Back goes the same way', async ({
  page,
  api,
  panel,
}) => {
  for (const person of [giulia, matteo, nicolo]) {
    await api.tell(person);
  }
  await panel.openList('?stato=Nuova');
  await panel.open(matteo);
  await expect(page).toHaveURL(/\/reports\/[0-9a-f-]{36}$/);
  await expect(panel.rows).toHaveCount(3);
  await expect(panel.row(matteo).getByRole('link', { name: 'Apri' })).toHaveAttribute('aria-current', 'true');
  await expect(page.getByText('2 di 3')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  await audit(page, 'list and report');

  await page.getByRole('button', { name: 'Segnalazione successiva' }).click();
  await expect(panel.name).toHaveText('Giulia Ferraro');
  await expect(page.getByText('3 di 3')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Segnalazione successiva' })).toBeDisabled();
  await page.goBack();
  await expect(panel.name).toHaveText('Matteo D’Angelo');
  await page.goBack();
  await expect(page).toHaveURL(/\?stato=Nuova$/);
  await expect(panel.heading('Segnalazioni')).toBeVisible();
  await page.goForward();
  await expect(panel.name).toHaveText('Matteo D’Angelo');
  await page.reload();
  await expect(page.getByText('2 di 3')).toBeVisible();

  await page.setViewportSize({ width: 1100, height: 800 });
  await expect(panel.rows).toHaveCount(0);
  await expect(panel.name).toHaveText('Matteo D’Angelo');
  await page.setViewportSize({ width: 640, height: 400 });
  await expectNoSidewaysScroll(page, 'report at twice its size');
  await audit(page, 'report at twice its size');
});

test('a choice is taken back, also on the next report', async ({ page, api, panel }) => {
  await api.tell(giulia);
  await api.tell(matteo);
  await panel.openList();
  await panel.open(matteo);
  await panel.stato.selectOption('Risolta');
  await expect.poll(() => api.detailOf(matteo)).toMatchObject({ stato: 'Risolta' });
  await page.keyboard.press('j');
  await expect(panel.name).toHaveText('Giulia Ferraro');
  await expect(page.getByText('Risolta: Matteo D’Angelo')).toBeVisible();
  await audit(page, 'a choice that can be taken back');
  await page.keyboard.press('z');
  await expect(page.getByText('Annullato. Nuova: Matteo D’Angelo')).toBeVisible();
  await expect.poll(() => api.detailOf(matteo)).toMatchObject({ stato: 'Nuova' });
  expect(await api.detailOf(giulia)).toMatchObject({ stato: 'Nuova' });
});

test('what somebody else chose meanwhile is shown beside one’s own choice', async ({
  page,
  api,
  watch,
  panel,
}) => {
  watch.expect(/status of 412/);
  const id = await api.tell(giulia);
  // Polls are held back, so that the page has not heard of it.
  await panel.openReport(id);
  await page.route(`**/api/reports/${id}`, async (route) => {
    await (route.request().method() === 'GET' ? route.abort() : route.continue());
  });
  watch.expect(/ERR_FAILED/);
  const held = page.waitForEvent('console', (message) => message.text().includes('ERR_FAILED'));
  await api.change(id, { stato: 'Archiviata' });
  await panel.stato.selectOption('Risolta');
  await expect(panel.conflict).toBeFocused();
  await expect(panel.conflict).toContainText('Archiviata');
  await audit(page, 'two choices');
  await panel.conflict.getByRole('button', { name: 'Usa la versione salvata' }).click();
  await panel.hasStato('Archiviata');
  expect((await api.detail(id)).stato).toBe('Archiviata');
  await held;
});

test('sixty reports are read, given status and department, by three commands each and no page load', {
  tag: '@soak',
}, async ({ page, api, panel }) => {
  const ids = await api.enterMany(Array.from({ length: 60 }, (_, index) => somebody(index + 1)));
  await panel.openList('?stato=Nuova');
  await expect(panel.rows).toHaveCount(50);
  await mark(page);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/reports\/[0-9a-f-]{36}$/);
  const seen = new Set<string>();
  for (let count = 1; count <= 60; count += 1) {
    await expect.poll(() => seen.has(page.url())).toBe(false);
    seen.add(page.url());
    await expect(panel.note).toBeVisible();
    await panel.hasStato('Nuova');
    await page.keyboard.press('2');
    await panel.hasStato('In lavorazione');
    await page.keyboard.press('r');
    await page.keyboard.press('5');
    await expect(panel.department).toHaveValue('ambiente');
    if (count < 60) {
      await page.keyboard.press('j');
    }
  }
  expect(await loads(page)).toBe(1);
  expect(await stayed(page)).toBe(true);
  await expect
    .poll(async () => {
      const details = await Promise.all(ids.map((id) => api.detail(id)));
      return details.filter((one) => one.stato === 'In lavorazione' && one.department === 'ambiente').length;
    })
    .toBe(60);
});

test('with the mouse it takes four presses a report', async ({ page, api, panel }) => {
  for (const person of [giulia, matteo]) {
    await api.tell(person);
  }
  await panel.openList();
  await panel.open(matteo);
  await panel.stato.selectOption('In lavorazione');
  // Two presses of a native list: it opens, and one of it is chosen.
  await panel.department.selectOption('Ambiente/Territorio');
  await page.getByRole('button', { name: 'Segnalazione successiva' }).click();
  await expect(panel.name).toHaveText('Giulia Ferraro');
  await expect
    .poll(() => api.detailOf(matteo))
    .toMatchObject({ stato: 'In lavorazione', department: 'ambiente' });
});

test('the list beside a report is searched and turned without closing it', async ({ page, api, panel }) => {
  await api.enterMany(Array.from({ length: 51 }, (_, index) => somebody(index + 1)));
  const id = await api.tell(giulia);
  await panel.openList();
  await panel.open(giulia);
  await page.getByRole('link', { name: 'Successiva' }).click();
  await expect(panel.rows).toHaveCount(2);
  await expect(page).toHaveURL(new RegExp(`/reports/${id}$`));
  await panel.field.fill('giulia');
  await expect(panel.rows).toHaveCount(1);
  await expect(panel.name).toHaveText('Giulia Ferraro');
  await page.getByRole('link', { name: 'Torna alla lista' }).click();
  await expect(page).toHaveURL(/\?search=giulia$/);
});
