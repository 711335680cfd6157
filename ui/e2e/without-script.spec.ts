/** The conversation and the return where no script runs: pages that the server makes. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { answersOf, giulia } from './support/people';
import { png } from './support/picture';
import { soakUnless } from './support/windows';

const SIZES = [
  [320, 568, 'light'],
  [390, 844, 'dark'],
  [1280, 800, 'light'],
] as const;

const photo = { name: 'piazza.png', mimeType: 'image/png', buffer: png(8, 8, [200, 30, 30]) };
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

for (const [width, height, colorScheme] of SIZES) {
  const tag = soakUnless(width === 320);
  test(`a report and the return without JavaScript, ${width} × ${height}, ${colorScheme}`, { tag }, async ({
    browser,
    server,
    api,
    page: copy,
  }) => {
    await copy.setViewportSize({ width, height });
    await copy.emulateMedia({ colorScheme });
    await api.saveSystem({ deviceTheme: true });
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width, height },
      colorScheme,
      baseURL: server.origin,
    });
    const page = await context.newPage();
    // What looks at a page is a script itself: it looks at a copy, where it may run.
    const sound = async (state: string) => {
      await copy.setContent(await page.content());
      await audit(copy, state);
      await expectNoSidewaysScroll(copy, state);
    };
    await page.goto('/paibeta/');
    const [age = '', ...answers] = answersOf(giulia);
    await page.locator('noscript input[name=text]').fill(age);
    await page.locator('noscript button').click();
    await expect(page.getByLabel('Il tuo nome')).toBeInViewport({ ratio: 1 });
    await page.getByLabel('Il tuo nome').fill('Anna1');
    await press(page, 'Avanti');
    await expect(page.getByLabel('Il tuo nome')).toHaveValue('Anna1');
    await expect(page.getByLabel('Il tuo nome')).toHaveAccessibleDescription(/cifre/);
    await sound('a refused name');
    for (const answer of answers) {
      await page.locator('#text').fill(answer);
      await press(page, 'Avanti');
    }
    await expect(page.getByRole('heading', { name: 'Controlla e invia' })).toBeVisible();
    await page.getByLabel(/^Altre informazioni/).fill('Il cancello è verde.');
    await press(page, 'Correggi: Il tuo nome');
    await expect(page.getByLabel('Il tuo nome')).toHaveValue(giulia.nome);
    await expect(page.getByRole('button', { name: 'Lascia com’è' })).toBeInViewport({ ratio: 1 });
    await page.getByLabel('Il tuo nome').fill('Ludovica');
    await press(page, 'Avanti');
    await expect(page.getByText('Ludovica')).toBeVisible();
    await expect(page.getByLabel(/^Altre informazioni/)).toHaveValue('Il cancello è verde.');
    await page.getByLabel(/Allega file/).setInputFiles({ ...photo, name: 'a.exe', buffer: Buffer.alloc(0) });
    await press(page, 'Carica i file e resta qui');
    await expect(page.getByText('«a.exe» è vuoto: controlla il file e allegalo di nuovo.')).toBeInViewport();
    await sound('a refused file');
    await page.getByLabel(/Allega file/).setInputFiles(photo);
    await press(page, 'Carica i file e resta qui');
    await expect(page.getByText(/^piazza\.png/)).toBeVisible();
    await sound('the review');
    await press(page, 'Invia la segnalazione');
    await expect(page.getByRole('heading', { name: 'È arrivata in redazione.' })).toBeVisible();
    await sound('the end');
    await expect(page.locator('samp')).toBeInViewport({ ratio: 1 });
    const code = (await page.locator('samp').textContent()) ?? '';
    expect(await context.cookies()).toEqual([]);

    await page.getByRole('link', { name: 'Segui la segnalazione' }).click();
    await page.getByLabel('Il tuo codice').fill('AAAAA');
    await press(page, 'Apri');
    await expect(page.getByLabel('Il tuo codice')).toHaveAccessibleDescription(/quattro gruppi/);
    await sound('a refused code');
    await page.getByLabel('Il tuo codice').fill(code);
    await press(page, 'Apri');
    await expect(page.getByRole('heading', { name: 'È arrivata alla redazione.' })).toBeVisible();
    await page.getByLabel('Scrivi alla redazione').fill('Ho altre foto.');
    await page.getByLabel(/Allega file/).setInputFiles({ ...photo, name: 'seconda.png' });
    await press(page, 'Invia');
    await expect(page.getByText('Ho altre foto.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'seconda.png' })).toBeVisible();
    await sound('the visit');
    await page.getByText('Ritira seconda.png').click();
    await press(page, 'Ritira il file seconda.png');
    await expect(page.getByRole('link', { name: 'seconda.png' })).toHaveCount(0);
    await page.getByText('Vuoi che cancelliamo la segnalazione?').click();
    await press(page, 'Chiedi di ritirare tutto');
    await expect(page.getByText(/^Hai chiesto di ritirare tutto/)).toBeVisible();
    await sound('a visit that asked for all to be withdrawn');
    await press(page, 'Esci');
    await expect(page.getByLabel('Il tuo codice')).toBeVisible();
    expect(await context.cookies()).toEqual([]);
    await context.close();
  });
}

test('help is in sight though its answer is refused, and where it is asked for', async ({
  browser,
  server,
  page: copy,
}) => {
  for (const [width, height] of SIZES) {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width, height },
      baseURL: server.origin,
    });
    const page = await context.newPage();
    await page.goto('/paibeta/');
    const [age = '', ...answers] = answersOf(giulia);
    await page.locator('noscript input[name=text]').fill(age);
    await page.locator('noscript button').click();
    for (const answer of [...answers.slice(0, -1), 'aiuto']) {
      await page.locator('#text').fill(answer);
      await press(page, 'Avanti');
    }
    await expect(page.getByRole('button', { name: 'Aiuto adesso' })).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('button', { name: 'Aiuto con la chat' })).toBeInViewport({ ratio: 1 });
    await page.locator('#text').fill('mi voglio ammazzare');
    await press(page, 'Avanti');
    await expect(page.getByText(/^Adesso raccontami/)).toBeVisible();
    for (const number of ['112', '02 2327 2327', '1522']) {
      await expect(page.getByRole('alert').getByRole('link', { name: number })).toBeInViewport({ ratio: 1 });
    }
    // Refused again, the page goes to what is wrong: the numbers stand there too.
    await press(page, 'Avanti');
    await expect(page.getByText(/^Numeri di aiuto/)).toBeInViewport({ ratio: 1 });
    await copy.setViewportSize({ width, height });
    await copy.setContent(await page.content());
    await audit(copy, 'help');
    await expectNoSidewaysScroll(copy, 'help');
    await context.close();
  }
});

test('where the chat does not arrive, a link leads to the same questions', async ({ page, watch }) => {
  watch.expect(/ERR_FAILED/);
  await page.route(/\.js$/, (route) => route.abort());
  await page.goto('/paibeta/');
  await page.getByRole('button', { name: /^Inizia/ }).click();
  await page.getByRole('link', { name: 'Se non succede, rispondi qui' }).click();
  await expect(page.getByLabel('La tua età')).toBeVisible();
  await page.goto('/paibeta/seguito');
  await expect(page.getByLabel('Il tuo codice')).toBeVisible({ timeout: 10_000 });
});
