/** People with an access of their own: from the invitation to the first report, the second factor, what a role may do. */
import { type BrowserContext, devices, type Page } from '@playwright/test';
import { expect, test } from './fixtures';
import type { SessionCookie } from './support/api';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Panel } from './support/panel';
import { giulia, matteo } from './support/people';
import { totpOf } from './support/totp';

const NOBODY = /status of 401.*\/session/;
const ANNA = 'sette lampioni lungo il viale';
const anna = { name: 'Anna Bianchi', user: 'anna.bianchi', role: 'redattore' as const, departments: [] };

async function enter(context: BrowserContext, origin: string, cookie: SessionCookie): Promise<void> {
  await context.addCookies([{ ...cookie, url: origin, httpOnly: true, sameSite: 'Strict' }]);
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();

/** In both widths that matter. */
async function look(page: Page, state: string): Promise<void> {
  await audit(page, state);
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 568 });
  await expectNoSidewaysScroll(page, state);
  if (size) {
    await page.setViewportSize(size);
  }
}

test('from the invitation to the first report, on a phone', async ({ page, api, context, logIn, visit }) => {
  await api.tell(giulia);
  await logIn(context);
  await page.goto('/paibeta/admin/settings/security/people');
  await expect(page.getByRole('button', { name: 'Aggiungi una persona' })).toBeVisible();
  await look(page, 'no persons yet');
  await press(page, 'Aggiungi una persona');
  await page.getByLabel('Nome e cognome').fill(anna.name);
  await expect(page.getByLabel('Nome utente')).toHaveValue(anna.user);
  await look(page, 'the form');
  await press(page, 'Crea l’invito');
  const dialog = page.getByRole('dialog', { name: `Invito per ${anna.name}` });
  const link = (await dialog.getByText(/\/invito#/).textContent()) ?? '';
  await look(page, 'the invitation');
  await dialog.getByRole('button', { name: 'Chiudi' }).click();
  await expect(page.getByText('Invitata', { exact: true })).toBeVisible();
  await look(page, 'one is invited');

  const phone = await visit(devices['Pixel 7']);
  const theirs = new Panel(phone);
  await phone.goto(link);
  await expect(theirs.heading(`Ciao ${anna.name}`)).toBeVisible();
  expect(new URL(phone.url()).hash).toBe('');
  await look(phone, 'the password is chosen');
  await phone.getByLabel('Nuova password').fill(ANNA);
  await phone.getByLabel('Ripeti la password').fill(ANNA);
  await press(phone, 'Entra nel pannello');
  await theirs.open(giulia);
  await expect(phone.getByText(giulia.segnalazione)).toBeVisible();
});

test('the second factor, by an app and by a recovery code', async ({ page, server, api, context, watch }) => {
  watch.expect(NOBODY);
  const { cookie } = await api.welcome(anna, ANNA);
  await enter(context, server.origin, cookie);
  await page.goto('/paibeta/admin/account');
  const panel = new Panel(page);
  await expect(panel.heading('Il tuo accesso')).toBeVisible();
  await look(page, 'account');
  await press(page, 'Attiva il secondo fattore');
  await expect(page.getByRole('img', { name: /QR/ })).toBeVisible();
  await look(page, 'the QR');
  const uri = await page.getByRole('link', { name: 'Apri nell’app' }).getAttribute('href');
  const secret = new URL(uri ?? '').searchParams.get('secret') ?? '';
  await page.getByLabel('Codice che vedi nell’app').fill(totpOf(secret));
  await page.getByLabel('La tua password').fill(ANNA);
  await press(page, 'Attiva');
  const codes = page.getByRole('list', { name: 'Codici di recupero' }).getByRole('listitem');
  await expect(codes).toHaveCount(10);
  await look(page, 'the codes');
  const recovery = (await codes.first().textContent()) ?? '';
  await press(page, 'Li ho conservati');
  await expect(page.getByText('Attivo: per accedere')).toBeVisible();

  // A code serves once, so each login takes another.
  for (const [round, code] of [totpOf(secret, 1), recovery].entries()) {
    await panel.logOut();
    // From then on this browser knows the way.
    if (round === 0) {
      await press(page, 'Accedi con il tuo nome utente');
    }
    await page.getByLabel('Nome utente').fill(anna.user);
    await page.getByLabel('Password', { exact: true }).fill(ANNA);
    await press(page, 'Accedi al Pannello');
    const box = page.getByLabel('Codice di verifica');
    await expect(box).toBeFocused();
    await look(page, 'the code is asked for');
    await box.fill(code);
    await press(page, 'Accedi al Pannello');
    await expect(panel.heading('Segnalazioni')).toBeVisible();
  }
});

test('assigned, commented, reminded of; a reader sees no buttons', async ({
  page,
  server,
  api,
  context,
  visit,
}) => {
  const id = await api.tell(giulia);
  await api.tell(matteo);
  const reader = { ...anna, name: 'Luca Verdi', user: 'luca.verdi', role: 'lettore' as const };
  const luca = await api.welcome(reader, `${ANNA} basso`);
  const { cookie } = await api.welcome(anna, ANNA);
  await enter(context, server.origin, cookie);
  const panel = new Panel(page);
  await panel.openReport(id);
  await expect(page.getByRole('complementary').getByText('Anna Bianchi').first()).toBeAttached();
  await expect(page.getByRole('link', { name: 'Impostazioni' })).toHaveCount(0);
  const whose = panel.facts.getByLabel('Chi segue');
  await expect(whose.getByRole('option')).toHaveText(['Nessuno', `${anna.name} (io)`]);
  await whose.selectOption(`${anna.name} (io)`);
  await expect(page.getByText(`Assegnata a ${anna.name}: `)).toBeVisible();
  await page.keyboard.press('c');
  await page.getByRole('textbox', { name: 'Aggiungi un commento' }).fill('Sentita la preside: richiamare.');
  await press(page, 'Commenta');
  await expect(panel.card('Conversazione')).toContainText('Anna Bianchi: Assegnata a Anna Bianchi');
  await look(page, 'assigned, with a comment');

  await panel.openList();
  await panel.narrow('persona', 'Non assegnate');
  await expect(panel.rows).toHaveCount(1);
  await expect(panel.row(giulia)).toHaveCount(0);
  await page.getByRole('button', { name: 'Togli tutti' }).click();
  await panel.narrow('le mie', 'Le mie');
  await expect(panel.rows).toHaveCount(1);
  await expect(panel.row(giulia)).toContainText('AB');
  await look(page, 'mine');

  const other = await visit({ locale: 'it-IT' });
  await enter(other.context(), server.origin, luca.cookie);
  await other.goto(`${server.origin}/paibeta/admin/reports/${id}`);
  const theirs = other.getByRole('region', { name: 'Stato e reparto' });
  await expect(theirs).toContainText('Anna Bianchi');
  await expect(other.getByText('Sentita la preside: richiamare.')).toBeVisible();
  const main = other.getByRole('main');
  await expect(
    main.getByRole('button', { name: /Salva|Commenta|Urgente|Etichette|Cancella|PDF/ }),
  ).toHaveCount(0);
  await expect(theirs.getByRole('combobox')).toHaveCount(0);
  await audit(other, 'a reader’s report');
  await other.goto(`${server.origin}/paibeta/admin/reports`);
  await expect(new Panel(other).row(giulia)).toBeVisible();
  await expect(other.getByRole('checkbox', { name: /^Seleziona/ })).toHaveCount(0);
  await expect(other.getByRole('button', { name: /Nuova segnalazione|CSV/ })).toHaveCount(0);
  await audit(other, 'a reader’s list');
});
