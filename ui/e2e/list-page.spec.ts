/** The list as it stands in a window: how much of it is in sight, what a row says, and what the keys do with it. */
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import type { Api } from './support/api';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { giulia, matteo, nicolo, type Person, somebody } from './support/people';

interface Box {
  top: number;
  bottom: number;
  height: number;
}

const boxesOf = (rows: Locator): Promise<Box[]> =>
  rows.evaluateAll((all) =>
    all.map((row) => {
      const { top, bottom, height } = row.getBoundingClientRect();
      return { top, bottom, height };
    }),
  );

/** Rows that are wholly in sight. */
async function inSight(page: Page, rows: Locator): Promise<Box[]> {
  const height = page.viewportSize()?.height ?? 0;
  return (await boxesOf(rows)).filter(({ top, bottom }) => top >= 0 && bottom <= height);
}

const people = (n: number): Person[] => Array.from({ length: n }, (_, index) => somebody(index + 1));

/** Many, each with all that a row can say of it but files. */
async function crowded(api: Api): Promise<void> {
  const { id: person } = await api.welcome(
    { name: 'Anna Bianchi', user: 'anna', role: 'redattore', departments: [] },
    'sette lampioni lungo il viale',
  );
  const labels = await Promise.all(
    ['Da seguire', 'Porta a porta'].map(async (name) => {
      const made = await api.fetch('POST', '/labels', { name, color: 'viola' });
      return ((await made.json()) as { id: number }).id;
    }),
  );
  const ids = await api.tellMany(people(16));
  for (const id of ids) {
    await api.change(id, { department: 'lavoro', assegnataA: person, labels: labels.sort((a, b) => a - b) });
  }
}

test('twelve rows of one height and more stand in a window of 1280 by 800, nine and more beside a report', async ({
  page,
  api,
  panel,
}) => {
  await crowded(api);
  await panel.openList();
  await expect(panel.rows.first()).toContainText('Da seguire');
  const whole = await inSight(page, panel.rows);
  expect(whole.length).toBeGreaterThanOrEqual(12);
  expect(new Set(whole.map(({ height }) => height))).toEqual(new Set([52]));
  await expectNoSidewaysScroll(page, 'list');
  await expect(page.getByText('Gestisci tutte le segnalazioni ricevute')).toBeInViewport();
  await expect(page.getByText('Esporta CSV')).toBeInViewport();
  await audit(page, 'list with every mark');

  await panel.rows.first().getByRole('link').click();
  await expect(panel.note).toBeAttached();
  const beside = await inSight(page, panel.rows);
  expect(beside.length).toBeGreaterThanOrEqual(9);
  expect(new Set(beside.map(({ height }) => height))).toEqual(new Set([60]));
  // Nothing in a row wraps, or lies over what is below it.
  const over = await panel.rows.evaluateAll((rows) =>
    rows.filter((row) => row.scrollHeight > row.clientHeight).map((row) => row.textContent),
  );
  expect(over).toEqual([]);
  await audit(page, 'list beside a report');
});

test('what has to be seen on every page stands above the split list, not under it', async ({
  page,
  api,
  panel,
}) => {
  await api.tellMany(people(14));
  await page.route('**/api/system/alerts', (route) =>
    route.fulfill({
      json: {
        disk: 'low',
        freeBytes: 412_345_678,
        attachmentsNearlyFull: false,
        newBrowser: null,
        replica: null,
      },
    }),
  );
  await panel.openList();
  await panel.rows.first().getByRole('link').click();
  await expect(panel.note).toBeAttached();
  const banner = await page.getByText('Il disco del server è quasi pieno').boundingBox();
  const heading = await page.getByRole('heading', { name: 'Segnalazioni', exact: true }).boundingBox();
  expect((banner?.y ?? 0) + (banner?.height ?? 0)).toBeLessThanOrEqual(heading?.y ?? 0);
});

for (const { width, height, rows, tall } of [
  { width: 1366, height: 650, rows: 9, tall: 52 },
  { width: 1920, height: 1080, rows: 15, tall: 52 },
]) {
  test(`${rows} rows and more stand in a window of ${width} by ${height}, without a cut that is not told`, async ({
    page,
    api,
    panel,
  }) => {
    await crowded(api);
    await page.setViewportSize({ width, height });
    await panel.openList('?todo=true');
    await expect(panel.rows.first()).toContainText('Da seguire');
    const whole = await inSight(page, panel.rows);
    expect(whole.length).toBeGreaterThanOrEqual(rows);
    expect(new Set(whole.map(({ height }) => height))).toEqual(new Set([tall]));
    await expectNoSidewaysScroll(page, 'list');
    await audit(page, 'list');
  });
}

test('on a phone the first row stands at 200 or above, rows of 72, tabs in one line', async ({
  page,
  api,
  panel,
}) => {
  await crowded(api);
  await page.setViewportSize({ width: 390, height: 844 });
  await panel.openList('?todo=true');
  await expect(page.getByRole('complementary', { name: 'Prima di aprire' })).toBeInViewport({ ratio: 1 });
  const rows = await inSight(page, panel.rows);
  expect(rows[0]?.top).toBeLessThanOrEqual(200);
  expect(new Set(rows.map(({ height }) => height))).toEqual(new Set([72]));
  const tabs = page.getByRole('navigation', { name: 'Elenchi' }).getByRole('link');
  const tops = await tabs.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  expect(new Set(tops).size).toBe(1);
  await expect(tabs.last()).toBeInViewport({ ratio: 1 });
  await expectNoSidewaysScroll(page, 'phone');
  await audit(page, 'list on a phone');
  await panel.field.click();
  await expect.poll(async () => (await panel.field.boundingBox())?.width).toBeGreaterThan(300);
  await expect(page.getByRole('option', { name: /Anche archiviate/ })).toBeInViewport();
  await audit(page, 'field on a phone');
  await page.keyboard.press('Escape');

  await page.setViewportSize({ width: 320, height: 568 });
  await expect(tabs.last()).toBeInViewport({ ratio: 1 });
  await expectNoSidewaysScroll(page, 'small phone');
  await page.mouse.wheel(0, 300);
  await expect(page.getByRole('button', { name: 'Nuova segnalazione' })).toBeInViewport({ ratio: 1 });
  await audit(page, 'rows of a small phone');
  await panel.narrow('file', /Con file/);
  await expectNoSidewaysScroll(page, 'small phone, filters');
  await audit(page, 'filters on a small phone');
});

test('urgent ones have their bar and stand on top', async ({ page, api, panel }) => {
  const id = await api.tell(giulia);
  await api.change(id, { urgente: true });
  await api.tell(matteo);
  await api.tell(nicolo);
  await panel.openList();
  await expect(panel.rows.first()).toContainText(giulia.cognome);
  await expect(panel.rows.first()).toContainText('Urgente');
  const width = await panel.rows.first().evaluate((row) => getComputedStyle(row, '::before').width);
  expect(width).toBe('4px');
  await panel.narrow('vecchie', 'Prima le più vecchie');
  await expect(page).toHaveURL(/\?order=asc$/);
  await expect(panel.rows.last()).toContainText(nicolo.cognome);
});

test('every mark is offered with its number, and shows what it counts', async ({ page, api, panel }) => {
  await api.saveSystem({ promiseFirstDays: 2 });
  await api.change(await api.tell(giulia), { urgente: true });
  await api.tell(matteo);
  const id = await api.tell(nicolo);
  const until = new Date(Date.now() + 86_400_000).toISOString();
  expect((await api.fetch('PUT', `/reports/${id}/snooze`, { until })).status).toBe(204);
  await panel.openList();
  await expect(panel.rows).toHaveCount(2);
  await expect(panel.row(matteo)).toContainText('promesso entro il');
  for (const [name, n, query] of [
    ['Con file', 0, '?files=true'],
    ['In scadenza', 3, '?due=soon'],
    ['Rinviate', 1, '?snoozed=true'],
    ['Non lette', 1, '?unread=true'],
  ] as const) {
    await panel.field.click();
    const offer = page.getByRole('option', { name: new RegExp(name) });
    await expect(offer).toHaveText(new RegExp(`${name}${n}$`));
    await offer.click();
    await expect(page).toHaveURL((url) => url.search === query);
    await expect(panel.rows).toHaveCount(n);
    if (name === 'Rinviate') {
      await expect(panel.rows).toContainText(['Rinviata al']);
    }
    await page.getByRole('button', { name: new RegExp(`^Togli il filtro .* ${name}$`) }).click();
    await expect(panel.rows).toHaveCount(2);
  }
  // Opened as an editor, by the test itself.
  await panel.open(matteo);
  await panel.openList('?unread=true');
  await expect(panel.row(matteo)).toHaveCount(0);
});

test('at 1440 a row has the email, and says what pressing it does; pressed anywhere it does it', async ({
  page,
  api,
  panel,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const id = await api.tell(giulia);
  await panel.openList();
  const row = panel.row(giulia);
  await expect(row.getByText(giulia.email)).toBeInViewport();
  await expect(row.getByText('Apri', { exact: true })).toBeHidden();
  await row.getByRole('link').focus();
  await expect(row.getByText('Apri', { exact: true })).toBeInViewport();
  await row.hover();
  await expect(row.getByText('Apri', { exact: true })).toBeInViewport();
  await row.getByText(giulia.email).click({ force: true });
  await expect(page).toHaveURL(new RegExp(`/reports/${id}$`));
});

test('twenty reports are given a status by two keys, one a person by its name, and taken back', async ({
  page,
  api,
  panel,
}) => {
  await api.welcome(
    { name: 'Anna Bianchi', user: 'anna', role: 'redattore', departments: [] },
    'sette lampioni lungo il viale',
  );
  await api.tellMany(people(20));
  await panel.openList();
  await expect(panel.rows).toHaveCount(20);
  await page.keyboard.press('*');
  await expect(page.getByText('20 selezionate')).toBeInViewport();
  await audit(page, 'all of a page chosen');
  await page.keyboard.press('3');
  await expect.poll(async () => (await api.list()).counters).toMatchObject({ new: 0, resolved: 20 });
  await expect(page.getByText('20 segnalazioni risolte')).toBeInViewport();
  await page.keyboard.press('z');
  await expect(page.getByText('Annullato. 20 segnalazioni come prima')).toBeVisible();
  expect((await api.list()).counters).toMatchObject({ new: 20, resolved: 0 });

  // Without a choice, the row that has the focus.
  await page.keyboard.press('j');
  await page.keyboard.press('a');
  await page.keyboard.type('bian');
  await audit(page, 'choice of a person');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await api.list()).data.filter((row) => row.assegnataA).length).toBe(1);

  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(page.getByText('3 selezionate')).toBeInViewport();
  await page.keyboard.press('u');
  await expect(page.getByText('3 segnalazioni urgenti')).toBeVisible();
  expect((await api.list()).counts.urgent).toBe(3);
  await expect(page.getByText('3 selezionate')).toHaveCount(0);
  await page.keyboard.press('j');
  await page.keyboard.press('h');
  await page.keyboard.press('Enter');
  await expect(panel.rows).toHaveCount(19);
  await expect.poll(async () => (await api.list()).counts.snoozed).toBe(1);
});

test('one palette finds commands, reports and settings, and gives the focus back', async ({
  page,
  api,
  panel,
}) => {
  const id = await api.tell(giulia);
  await api.tell(matteo);
  await panel.openList();
  await expect(panel.rows).toHaveCount(2);
  await page.keyboard.press('j');
  const palette = page.getByRole('dialog', { name: 'Comandi' });
  await page.keyboard.press('Control+k');
  await expect(palette.getByRole('combobox')).toBeFocused();
  await audit(page, 'palette');
  await page.keyboard.press('Escape');
  await expect(palette).toBeHidden();
  await expect(panel.rows.first().getByRole('link')).toBeFocused();

  await page.keyboard.press('Control+k');
  await expect(palette.getByRole('combobox')).toBeFocused();
  await page.keyboard.type('ferraro');
  await expect(palette.getByRole('option', { name: 'Giulia Ferraro' })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/reports/${id}$`));

  await page.keyboard.press('Control+k');
  await expect(palette.getByRole('combobox')).toBeFocused();
  await page.keyboard.type('backup');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/settings\/system\/backup$/);
  await page.getByRole('button', { name: 'Comandi' }).click();
  await expect(palette.getByRole('combobox')).toBeFocused();
  await page.keyboard.type('niente di simile');
  await expect(palette.getByText('Niente di simile.')).toBeVisible();
  await page.setViewportSize({ width: 320, height: 568 });
  await expectNoSidewaysScroll(page, 'palette');
});

test('on paper there is the list and nothing else; with forced colours the open row has an outline', async ({
  page,
  api,
  panel,
}) => {
  await api.tell(giulia);
  await api.tell(matteo);
  await panel.openList();
  await page.emulateMedia({ media: 'print' });
  await expect(panel.row(giulia)).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Menu del pannello' })).toBeHidden();
  await expect(panel.field).toBeHidden();
  await page.emulateMedia({ media: 'screen', forcedColors: 'active' });
  await panel.row(matteo).getByRole('link').click();
  await page.mouse.move(900, 500);
  await expect
    .poll(() => panel.row(matteo).evaluate((row) => getComputedStyle(row).outlineStyle))
    .toBe('solid');
  await audit(page, 'list with forced colours');
});
