/** People with an access of their own where it gets tight: no mouse, a factor that is demanded, fewer rights than before, no server. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { walkTo } from './support/keys';
import { Panel } from './support/panel';
import { giulia } from './support/people';
import { totpOf } from './support/totp';

const GONE = /net::ERR_/;
const ANNA = 'sette lampioni lungo il viale';
const anna = {
  name: 'Anna Bianchi',
  user: 'anna.bianchi',
  role: 'redattore' as 'amministratore' | 'redattore' | 'lettore',
  departments: [] as string[],
};

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Walks there with Tab, and presses Enter. */
async function go(page: Page, name: string): Promise<void> {
  await walkTo(page, button(page, name));
  await page.keyboard.press('Enter');
}

async function type(page: Page, label: string, text: string): Promise<void> {
  await walkTo(page, page.getByLabel(label, { exact: true }));
  await page.keyboard.insertText(text);
}

async function secretOf(page: Page): Promise<string> {
  const uri = await page.getByRole('link', { name: 'Apri nell’app' }).getAttribute('href');
  return new URL(uri ?? '').searchParams.get('secret') ?? '';
}

test('added, invited and given a second factor without a mouse', async ({ page, context, logIn, visit }) => {
  await logIn(context);
  await page.goto('/paibeta/admin/settings/security/people');
  await go(page, 'Aggiungi una persona');
  await expect(page.getByLabel('Nome e cognome')).toBeFocused();
  await page.keyboard.insertText(anna.name);
  await go(page, 'Crea l’invito');
  const dialog = page.getByRole('dialog', { name: `Invito per ${anna.name}` });
  const link = (await dialog.getByText(/\/invito#/).textContent()) ?? '';
  await page.keyboard.press('Escape');
  await expect(button(page, `Modifica ${anna.name}`)).toBeVisible();
  await go(page, `Rimuovi ${anna.name}`);
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Annulla' })).toBeFocused();
  await page.keyboard.press('Enter');

  const theirs = await visit({ locale: 'it-IT' });
  await theirs.goto(link);
  await type(theirs, 'Nuova password', ANNA);
  await type(theirs, 'Ripeti la password', ANNA);
  await theirs.keyboard.press('Enter');
  await expect(new Panel(theirs).heading('Segnalazioni')).toBeVisible();
  await walkTo(theirs, theirs.getByRole('button', { name: /^Anna Bianchi/ }));
  await theirs.keyboard.press('Enter');
  await walkTo(theirs, theirs.getByRole('link', { name: 'Il tuo accesso' }));
  await theirs.keyboard.press('Enter');
  await expect(new Panel(theirs).heading('Il tuo accesso')).toBeFocused();
  await go(theirs, 'Attiva il secondo fattore');
  await expect(theirs.getByRole('img', { name: /QR/ })).toBeVisible();
  await type(theirs, 'Codice che vedi nell’app', totpOf(await secretOf(theirs)));
  await type(theirs, 'La tua password', ANNA);
  await theirs.keyboard.press('Enter');
  await expect(theirs.getByRole('list', { name: 'Codici di recupero' })).toBeVisible();
  await go(theirs, 'Li ho conservati');
  await expect(theirs.getByText('Attivo: per accedere')).toBeVisible();
});

test('where the second factor is demanded, it comes first, and nobody leaves before its codes are kept', async ({
  page,
  server,
  api,
  context,
}) => {
  const { cookie } = await api.welcome(anna, ANNA);
  await api.saveSecurity({ requireSecondFactor: true });
  await context.addCookies([{ ...cookie, url: server.origin, httpOnly: true, sameSite: 'Strict' }]);
  const panel = new Panel(page);
  await page.goto('/paibeta/admin/reports');
  await expect(panel.heading('Attiva il secondo fattore')).toBeVisible();
  await expect(page.getByRole('img', { name: /QR/ })).toBeVisible();
  await audit(page, 'the factor is demanded');
  await page.setViewportSize({ width: 320, height: 568 });
  await expectNoSidewaysScroll(page, 'the factor is demanded');
  await page.getByLabel('Codice che vedi nell’app').fill(totpOf(await secretOf(page)));
  await page.getByLabel('La tua password').fill(ANNA);
  await button(page, 'Attiva').click();
  await expect(page.getByRole('list', { name: 'Codici di recupero' })).toBeVisible();
  await button(page, 'Esci').click();
  const question = page.getByRole('dialog', { name: 'Codici non conservati' });
  await audit(page, 'leaving without the codes');
  await question.getByRole('button', { name: 'Resta qui' }).click();
  await button(page, 'Li ho conservati').click();
  await expect(panel.heading('Segnalazioni')).toBeVisible();
});

test('a report moved to a desk that one does not see is asked about, and then gone', async ({
  page,
  server,
  api,
  context,
  watch,
}) => {
  const id = await api.tell(giulia);
  await api.change(id, { department: 'scuola' });
  const { cookie } = await api.welcome({ ...anna, departments: ['scuola'] }, ANNA);
  await context.addCookies([{ ...cookie, url: server.origin, httpOnly: true, sameSite: 'Strict' }]);
  const panel = new Panel(page);
  await panel.openReport(id);
  const question = page.getByRole('dialog', { name: 'Non vedrai più questa segnalazione' });
  await panel.department.selectOption('Sanità/Ospedali');
  await audit(page, 'moved out of sight');
  await question.getByRole('button', { name: 'Annulla' }).click();
  await expect(panel.department).toHaveValue('scuola');
  expect((await api.detail(id)).department).toBe('scuola');
  watch.expect(/status of 404/);
  await panel.department.selectOption('Sanità/Ospedali');
  await question.getByRole('button', { name: 'Sposta' }).click();
  await expect.poll(async () => (await api.detail(id)).department).toBe('sanita');
  await expect(page.getByText('Questo indirizzo non porta a nessuna segnalazione')).toBeVisible();
});

test('a report taken down for a desk that one does not see is said to be saved', async ({
  page,
  server,
  api,
  context,
  watch,
}) => {
  const { cookie } = await api.welcome({ ...anna, departments: ['lavoro'] }, ANNA);
  await context.addCookies([{ ...cookie, url: server.origin, httpOnly: true, sameSite: 'Strict' }]);
  const panel = new Panel(page);
  await panel.openList('?stato=Nuova');
  await button(page, 'Nuova segnalazione').click();
  const dialog = page.getByRole('dialog', { name: 'Nuova segnalazione' });
  await dialog.getByLabel('Nome', { exact: true }).fill(giulia.nome);
  await dialog.getByLabel('Cognome').fill(giulia.cognome);
  await dialog.getByLabel('Racconto').fill(giulia.segnalazione);
  watch.expect(/status of 404/);
  await dialog.getByRole('button', { name: 'Salva' }).click();
  await expect(page.getByText('Segnalazione salvata: è di un reparto che non vedi')).toBeVisible();
  await expect(page).toHaveURL(/reports\?stato=Nuova$/);
  await expect(dialog).toHaveCount(0);
  expect((await api.list('?origin=telefono')).data).toHaveLength(1);
});

test('what a reader may not do is not offered, wherever they come from', async ({
  page,
  server,
  api,
  context,
}) => {
  const { cookie } = await api.welcome({ ...anna, role: 'lettore' }, ANNA);
  await context.addCookies([{ ...cookie, url: server.origin, httpOnly: true, sameSite: 'Strict' }]);
  for (const address of ['deliveries', 'prompts', 'expiring', 'settings', 'settings/security/people']) {
    await page.goto(`/paibeta/admin/${address}`);
    const main = page.getByRole('main');
    await expect(main.getByText('Il tuo ruolo non lo permette.')).toBeVisible();
    await expect(main.getByRole('button')).toHaveCount(0);
    await expect(main.getByRole('combobox')).toHaveCount(0);
    await expect(main.getByRole('alert')).toHaveCount(0);
  }
  await audit(page, 'not for readers');
});

test('at 320 pixels the button of a notice keeps its word whole', async ({ page, api, panel }) => {
  const id = await api.tell(giulia);
  await page.setViewportSize({ width: 320, height: 568 });
  await panel.openReport(id);
  await panel.more('Urgente');
  const lines = button(page, 'Annulla').evaluate((element) => {
    const words = document.createRange();
    // The word alone: its key stands beside it, smaller.
    words.selectNodeContents(element.firstChild ?? element);
    return new Set([...words.getClientRects()].map(({ top }) => Math.round(top))).size;
  });
  expect(await lines).toBe(1);
});

test('each of these screens says so when the server is gone, and keeps what was typed', async ({
  page,
  server,
  api,
  context,
  visit,
  watch,
}) => {
  watch.expect(GONE);
  const id = await api.tell(giulia);
  const { cookie } = await api.welcome({ ...anna, role: 'amministratore' }, ANNA);
  const theirs = { ...cookie, url: server.origin, httpOnly: true, sameSite: 'Strict' as const };
  await context.addCookies([theirs]);
  const other = await visit({ locale: 'it-IT' });
  await other.context().addCookies([theirs]);
  const third = await visit({ locale: 'it-IT' });
  await third.context().addCookies([theirs]);

  await page.goto('/paibeta/admin/settings/security/people');
  await button(page, 'Aggiungi una persona').click();
  await page.getByLabel('Nome e cognome').fill('Luca Verdi');
  await other.goto(`${server.origin}/paibeta/admin/account`);
  await button(other, 'Attiva il secondo fattore').click();
  await other.getByLabel('Codice che vedi nell’app').fill('123456');
  await other.getByLabel('La tua password').fill(ANNA);
  await new Panel(third)
    .openReport(id)
    .catch(() => third.goto(`${server.origin}/paibeta/admin/reports/${id}`));
  await expect(third.getByRole('textbox', { name: 'Scrivi a chi ha segnalato' })).toBeVisible();
  await third.keyboard.press('c');
  await third.getByRole('textbox', { name: 'Aggiungi un commento' }).fill('Da richiamare.');
  await server.kill();

  await button(page, 'Crea l’invito').click();
  await expect(page.getByRole('dialog').getByText('Persona non aggiunta')).toBeVisible();
  await expect(page.getByLabel('Nome e cognome')).toHaveValue('Luca Verdi');
  await audit(page, 'nobody was added');
  await button(other, 'Attiva').click();
  await expect(other.getByText('Secondo fattore non cambiato')).toBeVisible();
  await expect(other.getByLabel('La tua password')).toHaveValue(ANNA);
  await audit(other, 'the factor was not set up');
  await button(third, 'Commenta').click();
  await expect(third.getByText('Commento non salvato')).toBeVisible();
  await expect(third.getByRole('textbox', { name: 'Aggiungi un commento' })).toHaveValue('Da richiamare.');
  await audit(third, 'no comment');

  await server.restart();
  await expect(third.getByRole('textbox', { name: 'Aggiungi un commento' })).toHaveValue('Da richiamare.');
  await button(page, 'Crea l’invito').click();
  await expect(page.getByRole('dialog', { name: 'Invito per Luca Verdi' })).toBeVisible();
});
