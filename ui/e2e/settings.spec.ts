/** The settings screens: what is saved there holds, at once and everywhere. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Chat } from './support/chat';
import { giulia } from './support/people';

const SECURITY_SAVED = 'Impostazioni di sicurezza salvate con successo!';
const SYSTEM_SAVED = 'Impostazioni di sistema salvate con successo!';

async function open(page: Page, task: SettingsPage): Promise<void> {
  await page.goto(`/paibeta/admin/settings/${task}`);
  await expect(
    page.getByRole('main').locator('input, textarea, button, summary').locator('visible=true').first(),
  ).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

const save = (page: Page) => page.getByRole('button', { name: 'Salva Modifiche' }).click();
const color = (page: Page) => page.getByLabel('Colore principale', { exact: true });

/** A colour of the page's design, as the stylesheet in force has it. */
const token = (page: Page, name: string) =>
  page.evaluate((one) => getComputedStyle(document.documentElement).getPropertyValue(one).trim(), name);

test('the sidebar leads to the index, the index to each task, back and forward, old addresses on', async ({
  page,
  panel,
}) => {
  await panel.openList();
  await page.getByRole('link', { name: 'Impostazioni' }).click();
  await expect(panel.heading('Impostazioni')).toBeFocused();
  await page.getByRole('link', { name: 'Server di posta' }).click();
  await expect(panel.heading('Server di posta')).toBeFocused();
  await expect(page).toHaveURL(/\/admin\/settings\/email\/mail-server$/);
  await page.getByLabel('Server', { exact: true }).fill('posta.esempio.example');
  await page.goBack();
  const dialog = page.getByRole('dialog', { name: 'Modifiche non salvate' });
  await dialog.getByRole('button', { name: 'Esci senza salvare' }).click();
  await expect(panel.heading('Impostazioni')).toBeVisible();
  await page.goForward();
  await expect(page.getByLabel('Server', { exact: true })).toHaveValue('');
  await page.getByRole('link', { name: 'Impostazioni' }).last().click();
  await page.getByRole('heading', { name: 'Avanzate' }).click();
  const folded = page.getByRole('list', { name: 'Avanzate' }).getByRole('link');
  await expect(folded.last()).toHaveText('Modalità sigillata');
});

test('each of the three screens has its address, its link in the menu and its heading in sight', async ({
  page,
  panel,
}) => {
  await page.goto('/paibeta/admin/settings');
  await expect(page).toHaveURL(/\/admin\/settings\/email$/);
  await expect(panel.heading('Impostazioni')).toBeInViewport();
  await expect(page.getByRole('heading', { name: 'Configurazione Email' })).toBeInViewport();
  const links = page.getByRole('navigation').getByRole('list', { name: 'Impostazioni' }).getByRole('link');
  await expect(links).toHaveText(['Email & SMTP', 'Sicurezza', 'Sistema', 'Prompt Chat', 'Consegne']);
  for (const [label, name, heading] of [
    ['Sistema', 'system', 'Configurazione Sistema'],
    ['Sicurezza', 'security', 'Configurazione Sicurezza'],
  ] as const) {
    await links.filter({ hasText: label }).click();
    await expect(page).toHaveURL(new RegExp(`/admin/settings/${name}$`));
    await expect(page.getByRole('heading', { name: heading })).toBeFocused();
    await expect(page.getByRole('heading', { name: heading })).toBeInViewport();
    await page.reload();
    await expect(page.getByRole('heading', { name: heading })).toBeInViewport();
  }
  await audit(page, 'settings');
  await page.goto('/paibeta/admin/settings/altro');
  await expect(page).toHaveURL(/\/admin\/settings\/email$/);
});

const TASKS = [
  'email/recipients',
  'email/mail-server',
  'email/departments',
  'email/reporter-mail',
  'security/password',
  'security/access',
  'security/log',
  'security/notifications',
  'security/rules',
  'security/retention',
  'security/siege',
  'security/sealed',
  'system/names',
  'system/look',
  'system/attachments',
  'system/receipts',
  'system/privacy',
  'system/quick-exit',
  'system/embed',
  'system/backup',
  'system/health',
  'system/webhook',
  'system/reset',
] as const;
type SettingsPage = (typeof TASKS)[number];

/** The words that can be read without scrolling. */
const wordsInSight = (page: Page) =>
  page.getByRole('main').evaluate((main) => {
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    let words = 0;
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      const box = parentElement?.getBoundingClientRect();
      const seen =
        box &&
        parentElement?.checkVisibility() &&
        box.width > 1 &&
        box.top < window.innerHeight &&
        box.bottom > 0;
      words += seen ? (textContent?.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) : 0;
    }
    return words;
  });

test('is one task: short, accessible, and without sideways scroll at 320 pixels and 200 %', async ({
  page,
  context,
  logIn,
}) => {
  test.slow();
  await logIn(context);
  for (const task of ['', ...TASKS]) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await open(page, task as SettingsPage);
    expect(await wordsInSight(page), task).toBeLessThanOrEqual(250);
    await audit(page, `settings, ${task}`);
    for (const [width, height] of [
      [640, 400],
      [320, 568],
    ] as const) {
      await page.setViewportSize({ width, height });
      await expectNoSidewaysScroll(page, `settings, ${task} at ${width}`);
    }
  }
});

test('a page that has room is as high as the window', async ({ page, context, logIn }) => {
  await logIn(context);
  await page.setViewportSize({ width: 1280, height: 800 });
  await open(page, 'security/notifications');
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(800);
});

test('a warning leads to the setting that it is about', async ({ page, context, logIn }) => {
  await logIn(context);
  await open(page, 'security/access');
  await page.getByRole('link', { name: /^Vai all’impostazione: Pannello/ }).click();
  const box = page.getByLabel('Indirizzi IP autorizzati', { exact: true });
  await expect(box).toBeFocused();
  await expect(box).toBeInViewport({ ratio: 1 });
});

for (const primary of ['#ffff00', '#000000', '#ffffff', '#2563eb']) {
  test(`${primary} as main colour is previewed as it will be, and stays readable`, async ({
    page,
    context,
    logIn,
    visit,
  }) => {
    await logIn(context);
    await open(page, 'system/look');
    await color(page).fill('#777777');
    await color(page).fill(primary);
    const preview = page.getByRole('region', { name: 'Anteprima del colore' });
    if (primary !== '#2563eb') {
      await save(page);
      await expect(page.getByText(SYSTEM_SAVED)).toBeVisible();
    }
    await expect.poll(() => token(page, '--primary')).toBe(primary);
    const links = preview.getByText('Link');
    const shown = () => links.evaluateAll((all) => all.map((link) => getComputedStyle(link).color));
    const ofPage = (theme: string) =>
      page.evaluate((name) => {
        document.documentElement.setAttribute('data-theme', name);
        const probe = document.body.appendChild(document.createElement('i'));
        probe.style.color = 'var(--primary-text)';
        const { color: read } = getComputedStyle(probe);
        probe.remove();
        return read;
      }, theme);
    expect(await shown()).toEqual([await ofPage('light'), await ofPage('dark')]);
    await audit(page, `panel in ${primary}`);
    const chat = await Chat.open(await visit());
    await chat.answer(giulia.eta);
    await audit(chat.page, `chat in ${primary}`);
  });
}

test('the privacy notice is previewed, saved and read before the first question', async ({
  page,
  context,
  logIn,
  visit,
  watch,
}) => {
  watch.expect(/status of 422/);
  await logIn(context);
  await open(page, 'system/privacy');
  await page.getByLabel('Testo', { exact: true }).fill('Trattiamo i dati\ncome promesso.');
  const link = page.getByLabel('Link all’informativa completa');
  await link.fill('informativa.html');
  await save(page);
  await expect(link).toHaveAccessibleDescription(/Inserisci un indirizzo web completo/);
  await expect(link).toBeFocused();
  await link.fill('https://esempio.example/privacy');
  await save(page);
  await expect(page.getByText(SYSTEM_SAVED)).toBeVisible();
  const citizen = await visit();
  await citizen.goto('/paibeta/');
  await citizen.getByRole('button', { name: 'Leggi l’informativa' }).click();
  await expect(citizen.getByText('Trattiamo i dati\ncome promesso.')).toBeInViewport();
  const whole = citizen.locator('#privacy').getByRole('link');
  await expect(whole).toHaveAttribute('href', 'https://esempio.example/privacy');
});

test('accessible in every state', async ({ page, context, logIn, watch }) => {
  watch.expect(/status of 422/, /status of 409/, /status of 500/);
  await logIn(context);
  await open(page, 'security/access');
  await page.getByLabel('Uscita automatica').fill('x');
  await save(page);
  await expect(page.getByRole('alert')).toBeVisible();
  await audit(page, 'refused');
  await page.getByLabel('Uscita automatica').fill('500');
  await save(page);
  await expect(page.getByText(SECURITY_SAVED)).toBeVisible();
  await expect(page.getByText('Sessione molto lunga')).toBeVisible();
  await audit(page, 'saved, with warnings');
  await page.getByLabel('Indirizzi IP autorizzati', { exact: true }).fill('192.0.2.1');
  await save(page);
  await expect(page.getByRole('dialog')).toBeVisible();
  await audit(page, 'asked before being shut out');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Scarta' }).click();
  await open(page, 'security/log');
  await page.getByRole('button', { name: 'Pulisci Tutti i Log' }).click();
  await audit(page, 'asked before the log is emptied');
  await open(page, 'system/reset');
  await page.getByRole('button', { name: 'Ripristina le impostazioni' }).click();
  await audit(page, 'asked before the reset');
  await open(page, 'system/look');
  await color(page).fill('giallo');
  await save(page);
  await expect(page.getByRole('alert')).toBeVisible();
  await audit(page, 'look refused');

  await page.route(/\/api\/settings\/system$/, (route) => route.fulfill({ status: 500 }));
  await page.reload();
  await expect(page.getByRole('button', { name: 'Riprova' })).toBeVisible();
  await audit(page, 'not loaded');
});
