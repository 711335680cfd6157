/** The settings screens: what is saved there holds, at once and everywhere. */
import type { Page } from '@playwright/test';
import type { Security, System } from '../src/shared/api/schema';
import { expect, test } from './fixtures';
import { Api, PASSWORD } from './support/api';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Chat } from './support/chat';
import { Panel } from './support/panel';
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
const security = async (api: Api) =>
  (await (await api.fetch('GET', '/settings/security')).json()) as Security;
const system = async (api: Api) => (await (await api.fetch('GET', '/settings/system')).json()) as System;

/** A colour of the page's design, as the stylesheet in force has it. */
const token = (page: Page, name: string) =>
  page.evaluate((one) => getComputedStyle(document.documentElement).getPropertyValue(one).trim(), name);

test('the sidebar leads to the index, the index to each task, back and forward, old addresses on', async ({
  page,
  context,
  logIn,
}) => {
  await logIn(context);
  const panel = new Panel(page);
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
  for (const old of ['email', 'security', 'system']) {
    await page.goto(`/paibeta/admin/settings/${old}`);
    await expect(page).toHaveURL(/\/admin\/settings$/);
    await expect(panel.heading('Impostazioni')).toBeVisible();
  }
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

for (const theme of ['light', 'dark'] as const) {
  test.describe(`each page in ${theme} colours`, () => {
    test.use({ theme });

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
  });
}

test('a page that has room is as high as the window', async ({ page, context, logIn }) => {
  await logIn(context);
  await page.setViewportSize({ width: 1280, height: 800 });
  await open(page, 'security/notifications');
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(800);
});

test('the rules for reports hold in the chat from the next turn on', async ({
  page,
  api,
  context,
  logIn,
  visit,
}) => {
  await logIn(context);
  await open(page, 'security/rules');
  await page.getByLabel('Lunghezza minima del racconto').fill('200');
  await page.getByLabel('Parole vietate', { exact: true }).fill('mensa');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Rimuovi avvocato' }).click();
  await save(page);
  await expect(page.getByText(SECURITY_SAVED)).toBeVisible();
  expect(await security(api)).toMatchObject({
    minReportLength: 200,
    forbiddenWords: 'avvocati, carabinieri, carabiniere, mensa',
  });

  const chat = await Chat.open(await visit());
  for (const text of [
    giulia.eta,
    giulia.nome,
    giulia.cognome,
    giulia.telefono,
    giulia.email,
    giulia.indirizzo,
  ]) {
    await chat.answer(text);
  }
  await chat.answer(giulia.segnalazione);
  await chat.lastBubble('Non posso fornire consigli legali. Torniamo ai dettagli della segnalazione.');
  await chat.answer(giulia.segnalazione.replace('mensa', 'cucina'));
  await chat.lastBubble(/Servono almeno 200 caratteri e 10 parole\.$/);
});

test('what the server refuses is said at its field, which takes the focus', async ({
  page,
  api,
  context,
  logIn,
  watch,
}) => {
  watch.expect(/status of 422/);
  await logIn(context);
  await open(page, 'security/rules');
  const length = page.getByLabel('Lunghezza minima del racconto');
  const words = page.getByLabel('Parole minime del racconto');
  await words.fill('dieci');
  await page.keyboard.press('Enter');
  await expect(words).toHaveAccessibleDescription(/Deve essere un numero intero\./);
  await expect(words).toBeFocused();
  await words.fill('301');
  await length.fill('0');
  await page.keyboard.press('Enter');
  await expect(length).toBeFocused();
  await expect(length).toBeInViewport({ ratio: 1 });
  await expect(length).toHaveAccessibleDescription(/Inserisci un numero di caratteri tra /);
  await expect(words).toHaveAccessibleDescription(/Inserisci un numero di parole tra 1 e 300\./);
  const alert = page.getByRole('alert').filter({ hasText: 'Errore nel salvataggio delle impostazioni' });
  await expect(alert).toBeVisible();
  expect((await security(api)).minReportLength).toBe(70);
  await length.fill('60');
  await words.fill('12');
  await save(page);
  await expect(page.getByText(SECURITY_SAVED)).toBeVisible();
  await expect(alert).toBeHidden();
});

test('an allow-list that shuts its author out is saved only on purpose', async ({
  page,
  api,
  context,
  logIn,
  watch,
}) => {
  watch.expect(/status of 409/, /status of 422/, /status of 403/);
  await logIn(context);
  await open(page, 'security/access');
  const warning = page.getByText('Pannello raggiungibile da ogni indirizzo');
  await expect(warning).toBeVisible();
  await page.getByRole('link', { name: /^Vai all’impostazione: Pannello/ }).click();
  const box = page.getByLabel('Indirizzi IP autorizzati', { exact: true });
  await expect(box).toBeFocused();
  await box.fill('192.0.2.0/24; casa');
  await save(page);
  await expect(box).toBeFocused();
  await expect(box).toHaveAccessibleDescription(/Non è un indirizzo IP né un intervallo CIDR: «casa»\./);
  await page.getByRole('button', { name: 'Rimuovi casa' }).click();
  await save(page);
  const dialog = page.getByRole('dialog', { name: 'Perderesti l’accesso al pannello' });
  await expect(dialog).toContainText("Il tuo indirizzo 127.0.0.1 non è nell'elenco");
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  expect((await security(api)).allowedIPs).toBe('');

  await save(page);
  await dialog.getByRole('button', { name: 'Aggiungi 127.0.0.1' }).click();
  await save(page);
  await expect(page.getByText(SECURITY_SAVED)).toBeVisible();
  expect((await security(api)).allowedIPs).toBe('192.0.2.0/24, 127.0.0.1');
  await expect(warning).toBeHidden();

  await page.getByRole('button', { name: 'Rimuovi 127.0.0.1' }).click();
  await save(page);
  // Shut out, the page finds so with its next question: the browser says it in the console.
  const shutOut = page.waitForEvent('console', (message) => message.text().includes('status of 403'));
  await dialog.getByRole('button', { name: 'Salva comunque' }).click();
  await shutOut;
  await expect.poll(async () => (await api.fetch('GET', '/settings/security')).status).toBe(403);
});

test('the password is changed with the old one, and every other session ends', async ({
  page,
  api,
  context,
  logIn,
  server,
  watch,
}) => {
  watch.expect(/status of 401.*\/password/, /status of 422.*\/password/);
  await logIn(context);
  await open(page, 'security/password');
  const next = 'sei gatti sul tetto di Bari';
  const [current, fresh, repeated] = [
    page.getByLabel('Password attuale'),
    page.getByLabel('Nuova password', { exact: true }),
    page.getByLabel('Ripeti la nuova password'),
  ];
  const change = page.getByRole('button', { name: 'Cambia password' });
  await current.fill('non è questa');
  await fresh.fill(next);
  await repeated.fill(next);
  await change.click();
  await expect(current).toHaveAccessibleDescription('Password non valida');
  await expect(current).toBeFocused();
  await current.fill(PASSWORD);
  await fresh.fill('password1234');
  await repeated.fill('password1234');
  await change.click();
  await expect(fresh).toHaveAttribute('aria-invalid', 'true');
  await expect(fresh).toBeFocused();
  await fresh.fill(next);
  await repeated.fill(next);
  await change.click();
  await expect(page.getByText(/^Password cambiata\./)).toBeVisible();
  await expect(current).toHaveValue('');

  expect((await api.fetch('GET', '/session')).status).toBe(401);
  await page.reload();
  await expect(current).toBeVisible();
  await expect(new Api(server.origin).logIn(PASSWORD)).rejects.toThrow('401');
  await new Api(server.origin).logIn(next);
});

test('the log is read, narrowed down and emptied after a question', async ({ page, api, context, logIn }) => {
  const id = await api.tell(giulia);
  await api.detail(id);
  await logIn(context);
  await open(page, 'security/log');
  const entries = page
    .getByRole('list', { name: 'Voci del registro, dalla più recente' })
    .getByRole('listitem');
  await page.getByLabel('Azione', { exact: true }).selectOption('Segnalazione aperta');
  await expect(entries).toHaveCount(1);
  await expect(entries.getByRole('link', { name: 'Vedi la segnalazione' })).toHaveAttribute(
    'href',
    `/paibeta/admin/reports/${id}`,
  );
  await page.getByRole('button', { name: 'Pulisci Tutti i Log' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pulisci Tutti i Log' });
  await expect(dialog).toContainText(
    'Sei sicuro di voler pulire tutti i log? Questa azione non può essere annullata.',
  );
  await dialog.getByRole('button', { name: 'Pulisci' }).click();
  await expect(page.getByText('Log sistema puliti con successo!')).toBeVisible();
  await page.getByLabel('Azione', { exact: true }).selectOption('Tutte');
  await expect(entries).toHaveCount(1);
  await expect(entries).toContainText('Registro svuotato');
});

test('names, colour and theme change at once in every open tab, in other browsers when they are looked at, on the public page at its next load', async ({
  page,
  context,
  logIn,
  visit,
}) => {
  await logIn(context);
  const tab = await context.newPage();
  await tab.goto('/paibeta/admin/reports');
  const elsewhere = await visit();
  await logIn(elsewhere.context());
  await elsewhere.goto('/paibeta/admin/reports');
  await expect(new Panel(elsewhere).heading('Segnalazioni')).toBeVisible();
  await open(page, 'system/names');
  await page.getByLabel('Nome della redazione').fill('La Voce');
  await save(page);
  await expect(page.getByText(SYSTEM_SAVED)).toBeVisible();
  await open(page, 'system/look');
  await color(page).fill('#FFD400');
  await page.getByRole('switch', { name: 'Tema scuro' }).click();
  await save(page);
  await expect(page.getByText(SYSTEM_SAVED)).toBeVisible();

  await elsewhere.evaluate(() => window.dispatchEvent(new Event('focus')));
  for (const open of [page, tab, elsewhere]) {
    await expect(open.locator('html')).toHaveAttribute('data-theme', 'light');
    await expect.poll(() => token(open, '--primary')).toBe('#ffd400');
    await expect.poll(() => token(open, '--on-primary')).toBe('#000000');
    await expect(open).toHaveTitle(/ · La Voce$/);
    await expect(open.getByRole('complementary').getByText('La Voce', { exact: true })).toBeVisible();
    await expect(open.locator('link[rel="stylesheet"]')).toHaveCount(1);
  }
  const chat = await Chat.open(await visit());
  await expect(chat.page.locator('html')).toHaveAttribute('data-theme', 'light');
  await expect.poll(() => token(chat.page, '--primary')).toBe('#ffd400');
  await expect(chat.page).toHaveTitle(/La Voce/);
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
    const links = preview.getByText('Collegamento');
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

test('all settings go back to their defaults after a question; the password stays', async ({
  page,
  api,
  context,
  logIn,
  server,
}) => {
  await api.saveSystem({ organizationName: 'La Voce', primaryColor: '#b42318' });
  await api.saveSecurity({ sessionTimeout: 15 });
  await logIn(context);
  await open(page, 'system/reset');
  await page.getByRole('button', { name: 'Ripristina le impostazioni' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ripristina le impostazioni' });
  await expect(dialog).toContainText(
    'Sei sicuro di voler ripristinare tutte le impostazioni ai valori predefiniti? Questa azione non può essere annullata.',
  );
  const reloaded = page.waitForEvent('load');
  await dialog.getByRole('button', { name: 'Ripristina', exact: true }).click();
  await expect(page.getByText('Impostazioni ripristinate ai valori predefiniti!')).toBeVisible();
  await reloaded;
  await expect.poll(() => token(page, '--primary')).toBe('#2563eb');
  expect(await system(api)).toMatchObject({ organizationName: 'Le Iene', primaryColor: '#2563eb' });
  expect((await security(api)).sessionTimeout).toBe(60);
  await new Api(server.origin).logIn(PASSWORD);
});

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
  const link = page.getByLabel('Collegamento all’informativa completa');
  await link.fill('informativa.html');
  await save(page);
  await expect(link).toHaveAccessibleDescription(/Inserisci un indirizzo web completo/);
  await expect(link).toBeFocused();
  await link.fill('https://esempio.example/privacy');
  await save(page);
  await expect(page.getByText(SYSTEM_SAVED)).toBeVisible();
  const chat = await Chat.open(await visit());
  const notice = chat.page.getByRole('complementary', { name: 'Informativa sulla privacy' });
  await expect(notice).toContainText('Trattiamo i dati');
  await expect(notice.getByRole('link')).toHaveAttribute('href', 'https://esempio.example/privacy');
});

test('the page tells which version runs, and that it is no demonstration', async ({
  page,
  api,
  context,
  logIn,
}) => {
  const { version } = (await (await api.fetch('GET', '/status')).json()) as { version: string };
  await logIn(context);
  await open(page, 'system/health');
  const facts = page.getByRole('region', { name: 'Informazioni di Sistema' });
  await expect(facts.getByText(version, { exact: true })).toBeVisible();
  await expect(facts.getByText('Produzione')).toBeVisible();
});

for (const theme of ['light', 'dark'] as const) {
  test.describe(theme, () => {
    test.use({ theme });

    test('accessible in every state', async ({ page, context, logIn, watch }) => {
      watch.expect(/status of 422/, /status of 409/, /status of 500/);
      await logIn(context);
      await open(page, 'security/access');
      await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
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
  });
}

for (const width of [390, 320]) {
  test(`on a screen of ${width} pixels everything is within reach`, async ({
    page,
    context,
    logIn,
    watch,
  }) => {
    watch.expect(/status of 409/);
    await page.setViewportSize({ width, height: 700 });
    await logIn(context);
    await open(page, 'security/access');
    await page
      .getByLabel('Indirizzi IP autorizzati', { exact: true })
      .fill('2001:db8:85a3:8d3:1319:8a2e:370:7348/128');
    await page.keyboard.press('Enter');
    await expectNoSidewaysScroll(page, 'access');
    await save(page);
    await expect(page.getByRole('dialog')).toBeVisible();
    await expectNoSidewaysScroll(page, 'asked before being shut out');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Scarta' }).click();
    await page.getByRole('button', { name: 'Apri il menu' }).click();
    await expectNoSidewaysScroll(page, 'menu');
    await page.getByRole('dialog').getByRole('link', { name: 'Impostazioni' }).click();
    await page.getByRole('link', { name: 'Nomi' }).click();
    await page.getByLabel('Nome della redazione').fill('M'.repeat(60));
    await expectNoSidewaysScroll(page, 'names');
    await open(page, 'security/rules');
    await page
      .getByLabel('Parole vietate', { exact: true })
      .fill('precipitevolissimevolmente-precipitevolissimevolmente');
    await page.keyboard.press('Enter');
    await expectNoSidewaysScroll(page, 'rules');
    await expect(page.getByRole('button', { name: 'Salva Modifiche' })).toBeInViewport({ ratio: 1 });
  });
}
