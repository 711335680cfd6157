/** Finding reports: search over the archive, what it marks, what it exports, and what only this browser has. */
import { readFile } from 'node:fs/promises';
import type { Download, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { fullName } from './support/panel';
import { giulia, matteo, nicolo, somebody } from './support/people';

const LIST = /\/paibeta\/api\/reports(\?|$)/;
const EXPORT = /\/reports\/export\.csv/;

const box = (page: Page) => page.getByRole('combobox', { name: 'Cerca o filtra' });
const marks = (page: Page) => page.locator('mark');

/** Answers of the list, changed on their way. */
async function changeList(page: Page, change: (list: Record<string, unknown>) => void): Promise<void> {
  await page.route(LIST, async (route) => {
    const answer = await route.fetch();
    const list = (await answer.json()) as Record<string, unknown>;
    change(list);
    await route.fulfill({ response: answer, json: list });
  });
}

async function textOf(download: Download): Promise<string> {
  return readFile(await download.path(), 'utf8');
}

/** A report as the chat keeps it when its last turn fails. */
const kept = {
  id: Date.UTC(2026, 10, 20, 9),
  name: 'Marta',
  surname: 'Bianchi',
  email: 'marta.bianchi@esempio.example',
  phone: '3405550199',
  address: 'Via Verdi 3, 40121 Bologna',
  report: 'Una storia che il server non ha potuto salvare.',
  age: 29,
  timestamp: new Date(Date.UTC(2026, 10, 20, 9)).toISOString(),
  answers: {},
  conversation: 'gettone',
  text: 'no',
};

async function keepInBrowser(page: Page, entries: Record<string, unknown>): Promise<void> {
  await page.addInitScript((all) => {
    for (const [key, value] of Object.entries(all)) {
      localStorage.setItem(key, typeof value === 'string' ? value : JSON.stringify(value));
    }
  }, entries);
}

test('half a phone number, half a name, any case and accent: found and marked', async ({
  page,
  api,
  panel,
}) => {
  await api.tell(giulia);
  await api.tell(matteo);
  await api.tell(nicolo);
  await panel.openList();
  for (const [typed, person, mark] of [
    ['5550', nicolo, '5550'],
    ['SART nicolo', nicolo, 'Nicolò'],
    ['nicolo\u0300', nicolo, 'Nicolò'],
    ['ferraro@ESEMPIO', giulia, 'ferraro@esempio'],
    ['  matteo  dan', matteo, 'Matteo'],
  ] as const) {
    await box(page).fill(typed);
    await expect(panel.rows).toHaveCount(1);
    await expect(panel.row(person)).toBeVisible();
    await expect(marks(page).first()).toHaveText(mark);
  }
  await expect(page).toHaveURL(/\?search=\+\+matteo/);
  await box(page).fill('%');
  await expect(page.getByText('Nessuna segnalazione trovata')).toBeVisible();

  await page.getByRole('button', { name: 'Cancella la ricerca' }).click();
  await expect(panel.rows).toHaveCount(3);
  await expect(box(page)).toBeFocused();
  await expect(page).toHaveURL(/\/reports$/);
  await expect(marks(page)).toHaveCount(0);
});

test('accounts are searched too, and the row shows the place', async ({ page, api, panel }) => {
  const far = `${'Una lunga premessa. '.repeat(12)}${giulia.segnalazione}`;
  await api.tell({ ...giulia, segnalazione: far });
  const id = await api.tell(matteo);
  await panel.openList('?search=MENSA');
  await expect(panel.row(giulia).locator('mark')).toHaveText('mensa');
  await expect(panel.rows).toHaveCount(1);
  await expect(page.getByText('1 segnalazione', { exact: true })).toBeVisible();
  await panel.open(giulia);
  await page.getByRole('link', { name: 'Torna alla lista' }).click();
  await expect(box(page)).toHaveValue('MENSA');

  // The id as the list shows it, and an address that no row shows.
  await box(page).fill(id.slice(0, 8));
  await expect(panel.row(matteo).locator('mark')).toHaveText(id.slice(0, 8));
  await box(page).fill(giulia.indirizzo);
  await expect(panel.row(giulia)).toContainText('Trovata nell’indirizzo');
  await audit(page, 'search with marks');
});

test('the export holds the rows of the filter, all of them, whole', async ({ page, api, panel }) => {
  await api.enterMany(Array.from({ length: 55 }, (_, index) => somebody(index + 1)));
  await api.tell(giulia);
  await panel.openList('?search=persona');
  await expect(panel.rows).toHaveCount(50);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Esporta CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('segnalazioni_pelazzai.csv');
  const text = await textOf(download);
  expect(text.charCodeAt(0)).toBe(0xfeff);
  expect(text.match(/persona\d+@esempio\.example/g)).toHaveLength(55);
  expect(text).not.toContain(fullName(giulia));
  await expect(page.getByText('Esportazione completata: 55 segnalazioni.')).toBeVisible();
});

test('an export that fails says why; one that arrives incomplete is not saved', async ({
  page,
  api,
  watch,
  panel,
}) => {
  watch.expect(/status of 503/);
  await api.tell(giulia);
  await panel.openList();
  await expect(panel.rows).toHaveCount(1);
  const downloads: Download[] = [];
  page.on('download', (download) => downloads.push(download));
  const exportCsv = page.getByRole('button', { name: 'Esporta CSV' });
  const alert = page.getByRole('alert');

  const problem = {
    type: 'urn:segnalazioni:problem:occupato',
    title: 'x',
    status: 503,
    detail: 'Riprova tra poco.',
  };
  await page.route(EXPORT, (route) =>
    route.fulfill({ status: 503, json: problem, contentType: 'application/problem+json' }),
  );
  await exportCsv.click();
  await expect(alert).toContainText('Esportazione non riuscita');
  await expect(alert).toContainText('Riprova tra poco.');
  await audit(page, 'export failed');

  await page.unroute(EXPORT);
  await page.route(EXPORT, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, headers: { ...answer.headers(), 'x-total-rows': '2' } });
  });
  await exportCsv.click();
  await expect(alert).toContainText('Il file è arrivato incompleto e non è stato salvato.');
  expect(downloads).toEqual([]);

  await page.unroute(EXPORT);
  await Promise.all([page.waitForEvent('download'), exportCsv.click()]);
  await expect(alert).toBeHidden();
});

test('a running export shows how far it is, and can be called off', async ({ page, api, panel }) => {
  await api.tell(giulia);
  await panel.openList();
  await expect(panel.rows).toHaveCount(1);
  let arrived = () => {};
  const asked = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  await page.route(EXPORT, () => arrived());
  const exportCsv = page.getByRole('button', { name: 'Esporta CSV' });
  await exportCsv.click();
  await asked;
  await expect(page.getByRole('progressbar', { name: 'Esportazione CSV' })).toBeVisible();
  await expect(exportCsv).toHaveAttribute('aria-disabled', 'true');
  await audit(page, 'export running');
  await page.getByRole('button', { name: 'Annulla' }).click();
  await expect(page.getByRole('progressbar')).toBeHidden();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('the export of a very large archive is left to the browser', async ({ page, api, panel }) => {
  await api.tell(giulia);
  await changeList(page, (list) => {
    list.counters = { total: 100_001, new: 100_001, inProgress: 0, resolved: 0 };
  });
  await panel.openList('?search=giulia');
  await expect(panel.rows).toHaveCount(1);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Esporta CSV' }).click(),
  ]);
  expect(new URL(download.url()).search).toBe('?search=giulia&inText=true');
  expect(download.suggestedFilename()).toBe('segnalazioni_pelazzai.csv');
  expect(await textOf(download)).toContain(giulia.email);
  await expect(page.getByText('segui il download nel browser')).toBeVisible();
});

test('a report that only this browser has stands above the list and can be read', async ({
  page,
  api,
  watch,
  panel,
}) => {
  await api.tell(giulia);
  await keepInBrowser(page, {
    [`pelazzai_report_${kept.id}`]: kept,
    pelazzai_report_1: '{"report": "non si legge',
  });
  await panel.openList();
  const local = page.getByText('In questo browser, non ancora inviata').locator('..');
  await expect(local).toContainText('Marta Bianchi');
  await expect(panel.rows).toHaveCount(1);
  expect(watch.warnings.join()).toContain('local report skipped, it cannot be read: pelazzai_report_1');
  expect(watch.warnings.join()).not.toContain('non si legge');

  await local.getByText('Leggi la segnalazione').click();
  await expect(local).toContainText(kept.phone);
  await expect(local.getByText(kept.report)).toBeVisible();
  await audit(page, 'local report');

  await page.evaluate((key) => {
    localStorage.removeItem(key);
    window.dispatchEvent(new Event('storage'));
  }, `pelazzai_report_${kept.id}`);
  await expect(local).toBeHidden();
});

test.describe('in a small window by day', () => {
  test.use({ theme: 'light', colorScheme: 'light' });

  for (const width of [390, 320]) {
    test(`the list with a search fits ${width} pixels`, async ({ page, api, panel }) => {
      await api.tell(giulia);
      await keepInBrowser(page, { [`pelazzai_report_${kept.id}`]: kept });
      await page.setViewportSize({ width, height: 740 });
      await panel.openList('?search=333&stato=Nuova');
      await expect(panel.row(giulia)).toContainText('3331234567');
      await expectNoSidewaysScroll(page, 'search');
      await audit(page, `search at ${width}`);
      await page.getByText('Leggi la segnalazione').click();
      await expect(page.getByText(kept.report)).toBeVisible();
      await expectNoSidewaysScroll(page, 'local report');
    });
  }
});
