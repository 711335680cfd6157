/** Passkeys, with a device that Chromium pretends to have: made, used, opening a sealed archive or not, and gone. */
import type { BrowserContext, Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { Api, PASSWORD, type SessionCookie } from './support/api';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Authenticator, withoutAutofill } from './support/authenticator';
import { Panel } from './support/panel';
import { giulia } from './support/people';
import type { Server } from './support/server';

// The only name of this machine that passkeys can be bound to.
test.use({ name: 'localhost' });

const NOBODY = /status of 401.*\/session/;
const ANNA = 'sette lampioni lungo il viale';
const anna = { name: 'Anna Bianchi', user: 'anna.bianchi', role: 'amministratore' as const, departments: [] };

async function enter(context: BrowserContext, origin: string, cookie: SessionCookie): Promise<void> {
  await context.addCookies([{ ...cookie, url: origin, httpOnly: true, sameSite: 'Strict' }]);
}

const press = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true }).click();

/** In both themes, and in the narrowest width. */
async function look(page: Page, state: string): Promise<void> {
  await audit(page, state);
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 568 });
  await audit(page, `${state}, narrow`);
  await expectNoSidewaysScroll(page, state);
  if (size) {
    await page.setViewportSize(size);
  }
}

const cardOf = (page: Page) => page.getByRole('region', { name: 'Passkey', exact: true });
const entries = (page: Page) => page.getByRole('list', { name: 'Le tue passkey' }).getByRole('listitem');

async function fillIn(page: Page, name: string, password = ANNA): Promise<void> {
  const card = cardOf(page);
  await press(card, 'Aggiungi una passkey');
  await card.getByLabel('Nome della passkey').fill(name);
  await card.getByLabel('La tua password').fill(password);
}

async function add(page: Page, name: string): Promise<void> {
  await page.goto('/paibeta/admin/account');
  await fillIn(page, name);
  await press(cardOf(page), 'Continua');
  await expect(entries(page).filter({ hasText: name })).toBeVisible();
}

const logInByButton = (page: Page) => press(page, 'Accedi con una passkey');

test('made, used by button and by autofill, renamed and removed', async ({
  page,
  server,
  api,
  context,
  watch,
}) => {
  watch.expect(NOBODY);
  const { cookie } = await api.welcome(anna, ANNA);
  await enter(context, server.origin, cookie);
  const device = await Authenticator.plugInto(page);
  const panel = new Panel(page);

  await page.goto('/paibeta/admin/opening');
  await page.getByRole('link', { name: 'Aggiungila in Il tuo accesso' }).click();
  const card = cardOf(page);
  await expect(card.getByRole('button', { name: 'Aggiungi una passkey' })).toBeVisible();
  await card.getByText('Se perdi il telefono').click();
  await look(page, 'no passkey yet');
  await press(card, 'Aggiungi una passkey');
  await expect(card.getByLabel('Nome della passkey')).toHaveValue('Chrome su Linux');
  await look(page, 'a passkey is being added');
  await card.getByLabel('Nome della passkey').fill('Computer');
  await card.getByLabel('La tua password').fill(ANNA);
  await press(card, 'Continua');
  await expect(entries(page)).toContainText('Computer');
  await expect(entries(page)).toContainText('mai usata');
  // Sealed mode is off, so it does not matter what opens.
  await expect(card).not.toContainText('sigillato');
  expect(await device.count()).toBe(1);
  await look(page, 'one passkey');

  // The same device has one already.
  await fillIn(page, 'Un’altra');
  await press(card, 'Continua');
  await expect(card.getByRole('alert')).toContainText('c’è già una tua passkey');
  await expect(card.getByLabel('La tua password')).toHaveValue(ANNA);
  await look(page, 'a passkey is refused');

  await page.goto('/paibeta/admin/settings/security/people');
  await expect(page.getByRole('listitem').filter({ hasText: anna.user })).toContainText('1 passkey');

  // Out of the autofill: the device answers as if it had been chosen there.
  await page.goto('/paibeta/admin/account');
  await expect(entries(page)).toHaveCount(1);
  await panel.press('Esci');
  await expect(panel.heading('Segnalazioni')).toBeVisible();

  await withoutAutofill(page);
  await page.goto('/paibeta/admin/account');
  await expect(entries(page)).toContainText('ultimo accesso');
  await press(entries(page), 'Rinomina Computer');
  await page.getByRole('dialog').getByLabel('Nome della passkey').fill('Il mio computer');
  await look(page, 'a passkey is renamed');
  await press(page.getByRole('dialog'), 'Salva');
  await expect(entries(page)).toContainText('Il mio computer');
  await panel.logOut();
  await expect(page.getByRole('button', { name: 'Accedi con una passkey' })).toBeVisible();
  await look(page, 'login with passkeys');
  await logInByButton(page);
  await expect(panel.heading('Segnalazioni')).toBeVisible();

  // The session began by it, and ends with it.
  await page.goto('/paibeta/admin/account');
  await press(entries(page), 'Rimuovi Il mio computer');
  await look(page, 'a passkey is to be removed');
  watch.allow(/status of 401/);
  await press(page.getByRole('dialog'), 'Rimuovi');
  await expect(panel.heading('Accesso al pannello')).toBeVisible();
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
  // It was the only one: nothing is offered, and the device cannot know.
  await expect(page.getByText(/passkey/i)).toHaveCount(0);
});

test('the button takes over from the autofill, which waits', async ({
  page,
  server,
  api,
  context,
  watch,
}) => {
  watch.allow(NOBODY);
  const { cookie } = await api.welcome(anna, ANNA);
  await enter(context, server.origin, cookie);
  const device = await Authenticator.plugInto(page);
  await add(page, 'Computer');
  await device.isTouched(false);
  await page.addInitScript(() => {
    const ended: string[] = [];
    const ask = navigator.credentials.get.bind(navigator.credentials);
    navigator.credentials.get = (options) =>
      ask(options).catch((error: Error) => {
        ended.push(`${options?.mediation ?? 'button'}: ${error.name}`);
        throw error;
      });
    Object.assign(window, { ended });
  });
  const panel = new Panel(page);
  await panel.logOut();
  await expect(page.getByRole('button', { name: 'Accedi con una passkey' })).toBeVisible();
  await page.reload();
  await logInByButton(page);
  // Nobody touches the device, so the button's request goes on; had it begun too early, the browser would have refused it.
  const ended = () => page.evaluate(() => (window as unknown as { ended: string[] }).ended);
  await expect.poll(ended).toEqual(['conditional: AbortError']);
  await expect(page.getByRole('button', { name: 'Accesso in corso...' })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a device that does not recognise its owner neither makes nor lets in', async ({
  page,
  server,
  api,
  context,
}) => {
  const { cookie } = await api.welcome(anna, ANNA);
  await enter(context, server.origin, cookie);
  const device = await Authenticator.plugInto(page, { recognises: false });
  await withoutAutofill(page);
  const panel = new Panel(page);
  await page.goto('/paibeta/admin/account');
  await fillIn(page, 'Computer');
  await press(cardOf(page), 'Continua');
  await expect(cardOf(page).getByRole('alert')).toContainText('Hai annullato');
  await expect(cardOf(page).getByLabel('Nome della passkey')).toHaveValue('Computer');
  expect(await device.count()).toBe(0);
  await device.unplug();
  const other = await Authenticator.plugInto(page);
  await press(cardOf(page), 'Continua');
  await expect(entries(page)).toHaveCount(1);

  await panel.logOut();
  await other.mistake();
  await press(page, 'Accedi con il tuo nome utente');
  await page.getByLabel('Nome utente').fill(anna.user);
  await page.getByLabel('Password', { exact: true }).fill(ANNA);
  await logInByButton(page);
  await expect(page.getByRole('alert')).toContainText('Hai annullato');
  await look(page, 'a login was not confirmed');
  // What was typed is still there.
  await press(page, 'Accedi al Pannello');
  await expect(panel.heading('Segnalazioni')).toBeVisible();
});

test('two devices: the lost one is removed from the other, and its session ends', async ({
  page,
  server,
  api,
  context,
  visit,
  watch,
}) => {
  watch.expect(/status of 401/);
  const { cookie } = await api.welcome(anna, ANNA);
  await enter(context, server.origin, cookie);
  await Authenticator.plugInto(page);
  await withoutAutofill(page);
  await add(page, 'Computer');

  const phone = await visit({ baseURL: server.origin, viewport: { width: 390, height: 844 } });
  await enter(phone.context(), server.origin, cookie);
  await Authenticator.plugInto(phone);
  await withoutAutofill(phone);
  await add(phone, 'Telefono');
  await phone.context().clearCookies();
  await phone.goto('/paibeta/login');
  await logInByButton(phone);
  await expect(new Panel(phone).heading('Segnalazioni')).toBeVisible();

  await page.goto('/paibeta/admin/account');
  await expect(entries(page)).toHaveCount(2);
  await look(page, 'two passkeys');
  await press(page, 'Rimuovi Telefono');
  await press(page.getByRole('dialog'), 'Rimuovi');
  await expect(entries(page)).toHaveCount(1);

  await phone.goto('/paibeta/admin/reports');
  await expect(new Panel(phone).heading('Accesso al pannello')).toBeVisible();
  await logInByButton(phone);
  await expect(phone.getByRole('alert')).toBeVisible();
  await look(phone, 'a passkey is not valid any more');
  await new Panel(page).logOut();
  await logInByButton(page);
  await expect(new Panel(page).heading('Segnalazioni')).toBeVisible();
});

test('a passkey is the second factor that the newsroom demands', async ({
  page,
  server,
  api,
  context,
  watch,
}) => {
  watch.expect(/status of 409/);
  const { cookie } = await api.welcome(anna, ANNA);
  await api.saveSecurity({ requireSecondFactor: true });
  await enter(context, server.origin, cookie);
  await Authenticator.plugInto(page);
  const panel = new Panel(page);
  await page.goto('/paibeta/admin/reports');
  await expect(panel.heading('Attiva il secondo fattore')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Aggiungi una passkey' })).toBeVisible();
  await look(page, 'an app or a passkey');
  await press(page, 'Aggiungi una passkey');
  await page.getByLabel('La tua password').fill(ANNA);
  await look(page, 'a passkey in place of an app');
  await press(page, 'Continua');
  await expect(panel.heading('Segnalazioni')).toBeVisible();

  await page.goto('/paibeta/admin/account');
  await press(entries(page), 'Rimuovi Chrome su Linux');
  await press(page.getByRole('dialog'), 'Rimuovi');
  await expect(cardOf(page).getByRole('alert')).toContainText('Prima');
  await expect(entries(page)).toHaveCount(1);
});

test('at another address the right one is named', async ({ page, server, api, context, watch }) => {
  watch.expect(/status of 401/);
  watch.allow(/^elsewhere: http:\/\/127\.0\.0\.1/);
  const { cookie } = await api.welcome(anna, ANNA);
  await enter(context, server.origin, cookie);
  await Authenticator.plugInto(page);
  await add(page, 'Computer');
  const other = server.origin.replace('localhost', '127.0.0.1');
  await page.goto(`${other}/paibeta/login`);
  const link = page.getByRole('link', { name: new URL(server.origin).host });
  await expect(link).toHaveAttribute('href', `${server.origin}/paibeta/login`);
  await expect(page.getByRole('button', { name: 'Accedi con una passkey' })).toHaveCount(0);
  await look(page, 'passkeys are valid elsewhere');
  await enter(context, other, cookie);
  await page.goto(`${other}/paibeta/admin/account`);
  await expect(cardOf(page).getByRole('link')).toHaveAttribute(
    'href',
    `${server.origin}/paibeta/admin/account`,
  );
  await look(page, 'passkeys can be added elsewhere');
});

test('the shared password has none', async ({ page, context, logIn }) => {
  await logIn(context);
  await page.goto('/paibeta/admin/account');
  await expect(cardOf(page)).toContainText('Una passkey è di una persona sola');
  await look(page, 'a passkey takes a person');
});

test.describe('a sealed archive', () => {
  test.use({ kind: 'empty' });

  /** A newsroom with a person, a report and a session of hers; sealed on request. */
  async function begin(
    server: Server,
    api: Api,
  ): Promise<{ cookie: SessionCookie; seal: () => Promise<void> }> {
    const token = new URL(server.setupLink).hash.slice(1);
    const asked = { token, password: PASSWORD };
    const shown = await api.fetch('POST', '/setup/recovery-code', asked);
    const { recoveryCode } = (await shown.json()) as { recoveryCode: string };
    const set = await api.fetch('POST', '/setup', { ...asked, recoveryCode });
    const [name = '', value = ''] = set.headers.getSetCookie()[0]?.split(';')[0]?.split('=') ?? [];
    // Any session keeps the archive open.
    await new Api(server.origin, { name, value }).logOut();
    await api.logIn(PASSWORD);
    await api.tell(giulia);
    const { cookie } = await api.welcome(anna, ANNA);
    const seal = async () => {
      expect((await api.fetch('POST', '/security/sealed', { recoveryCode })).status).toBe(200);
      await api.logOut();
    };
    return { cookie, seal };
  }

  const search = async (page: Page) => {
    const panel = new Panel(page);
    await expect(panel.row(giulia)).toBeVisible();
    await panel.field.fill('Ferraro');
    await panel.field.press('Enter');
    await expect(panel.row(giulia)).toBeVisible();
  };

  test('is opened by a passkey that can', async ({ page, server, api, context }) => {
    const { cookie, seal } = await begin(server, api);
    await enter(context, server.origin, cookie);
    await Authenticator.plugInto(page);
    await withoutAutofill(page);
    await add(page, 'Computer');
    await seal();
    await page.reload();
    await expect(entries(page)).toContainText('Apre anche l’archivio sigillato.');
    await look(page, 'a passkey that opens');
    // The last session goes, and the key with it.
    await new Panel(page).logOut();
    await logInByButton(page);
    await search(page);
  });

  test('takes the password once after a passkey that cannot', async ({
    page,
    server,
    api,
    context,
    watch,
  }) => {
    watch.expect(/status of 401.*\/unlock/);
    const { cookie, seal } = await begin(server, api);
    await enter(context, server.origin, cookie);
    await Authenticator.plugInto(page, { prf: false });
    await withoutAutofill(page);
    await add(page, 'Computer');
    await seal();
    await page.reload();
    await expect(entries(page)).toContainText('ti chiede la password una volta');
    await look(page, 'a passkey that does not open');
    await new Panel(page).logOut();
    await logInByButton(page);
    await expect(new Panel(page).heading('Apri l’archivio')).toBeVisible();
    await look(page, 'the archive is closed');
    await page.getByLabel('La tua password').fill('non è questa');
    await press(page, 'Apri');
    await expect(page.getByText('Password non valida')).toBeVisible();
    await look(page, 'it stays closed');
    await page.getByLabel('La tua password').fill(ANNA);
    await press(page, 'Apri');
    await search(page);
    await page.reload();
    await search(page);
  });

  test('asks above an open page after a restart, and what was typed stays', async ({
    page,
    server,
    api,
    context,
    watch,
  }) => {
    watch.allow(/status of 503/, /ERR_CONNECTION_(REFUSED|RESET)/);
    const { cookie, seal } = await begin(server, api);
    await seal();
    await enter(context, server.origin, cookie);
    const panel = new Panel(page);
    await panel.openList();
    await server.kill();
    await server.restart();
    await panel.field.fill('Ferraro');
    await panel.field.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Apri l’archivio' });
    await expect(dialog).toBeVisible();
    await look(page, 'the archive has closed meanwhile');
    await dialog.getByLabel('La tua password').fill(ANNA);
    await press(dialog, 'Apri');
    await expect(dialog).toHaveCount(0);
    await expect(panel.row(giulia)).toBeVisible();
    await expect(page).toHaveURL(/Ferraro/);
  });
});
