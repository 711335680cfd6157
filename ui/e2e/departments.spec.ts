/** Departments of a newsroom's own: from the set-up to a report that is routed to one, and how the list is kept. */
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { PASSWORD } from './support/api';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Panel } from './support/panel';
import { giulia } from './support/people';

const WINDOWS = [
  [320, 568],
  [390, 844],
  [1280, 800],
  [1366, 650],
] as const;
/** One word, and a letter more than a name has. */
const LONG = 'W'.repeat(41);

/** What one does to get there, counted: a press, or a field filled in. */
class Walk {
  actions = 0;

  async press(target: Locator): Promise<void> {
    this.actions += 1;
    await target.click();
  }

  async fill(target: Locator, text: string): Promise<void> {
    this.actions += 1;
    await target.fill(text);
  }
}

async function inEveryWindow(page: Page, state: string): Promise<void> {
  for (const [width, height] of WINDOWS) {
    await page.setViewportSize({ width, height });
    await expectNoSidewaysScroll(page, `${state}, ${width} pixels`);
  }
}

test.describe('a fresh installation', () => {
  test.use({ kind: 'empty' });

  test('comes to four departments of its own, and a report to one of them with its reason', async ({
    page,
    server,
    api,
  }) => {
    const walk = new Walk();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.goto(server.setupLink);
    await walk.fill(page.getByLabel('Nuova password'), PASSWORD);
    await walk.fill(page.getByLabel('Ripeti la password'), PASSWORD);
    await walk.press(button('Continua'));
    const shown = page.getByText(/([A-Z]{4}-){7}[A-Z]{4}/).first();
    const code = /([A-Z]{4}-){7}[A-Z]{4}/.exec((await shown.textContent()) ?? '')?.[0] ?? '';
    await walk.press(button('Ho conservato il codice'));
    await walk.fill(page.getByRole('textbox', { name: 'Codice di recupero' }), code);
    await walk.press(button('Continua'));
    await expect(page.getByRole('heading', { name: 'Che cosa serve per segnalare' })).toBeVisible();
    await walk.press(button('Continua'));
    await walk.press(page.getByLabel('Scrivi i tuoi'));
    const own = page.getByLabel('I tuoi reparti, uno per riga');
    await own.fill('Cronaca\nSport\nCRONACA');
    await button('Continua').click();
    await expect(own).toHaveAccessibleDescription(/«CRONACA»: C’è già un reparto con questo nome/);
    await expect(page.getByLabel(/^Tieni i reparti che ci sono: Corruzione.*, Criminalità/)).toBeVisible();
    await audit(page, 'departments of one’s own');
    await inEveryWindow(page, 'departments of one’s own');
    await walk.fill(
      own,
      ['Cronaca', 'Sport', 'Esteri', 'Salento'].map((name) => `${name} ${name}@esempio.example`).join('\n'),
    );
    await walk.press(button('Continua'));
    await expect(new Panel(page).heading('Segnalazioni')).toBeVisible();

    await walk.press(page.getByRole('link', { name: 'Impostazioni', exact: true }));
    await walk.press(page.getByRole('link', { name: 'Reparti', exact: true }));
    const entries = page.getByRole('list', { name: 'Reparti' }).getByRole('listitem');
    await expect(entries).toHaveCount(5);
    await expect(entries.nth(3)).toContainText('Salento@esempio.example');
    await walk.press(button('Modifica Salento'));
    await walk.fill(page.getByLabel('Parole chiave', { exact: true }), 'Lecce, Otranto, Gallipoli');
    await walk.press(button('Salva'));
    await expect(entries.nth(3)).toContainText('3 parole chiave');

    await api.tell({
      ...giulia,
      segnalazione:
        'A Otranto il molo è chiuso da mesi e nessuno in città sa perché: chi ci lavorava aspetta una risposta dal marzo scorso, e intanto non ha più niente da fare.',
    });
    await walk.press(page.getByRole('link', { name: /^Segnalazioni/ }).first());
    await walk.press(page.getByRole('link', { name: /^Giulia Ferraro/ }));
    await walk.press(page.getByRole('heading', { name: 'Perché questo reparto' }));
    await expect(new Panel(page).department).toHaveValue('salento');
    await expect(page.getByText(/Salento.*Decidono le parole chiave del reparto/)).toBeVisible();
    expect(walk.actions).toBeLessThanOrEqual(25);
  });
});

test('the list is kept by keyboard, and a department goes with its reports to another', async ({
  page,
  api,
  context,
  logIn,
  watch,
}) => {
  watch.expect(/status of 422.*\/departments\/sanita/);
  await logIn(context);
  const id = await api.tell(giulia);
  await api.change(id, { department: 'scuola' });
  await page.goto('/paibeta/admin/settings/email/departments');
  const entries = page.getByRole('list', { name: 'Reparti' }).getByRole('listitem');
  await expect(entries).toHaveCount(7);
  await page.setViewportSize({ width: 320, height: 568 });
  await page.getByRole('button', { name: 'Modifica Scuola/Istruzione' }).click();
  const words = Array.from({ length: 12 }, (_, at) => `una parola chiave piuttosto lunga ${at}`);
  await page.getByLabel('Parole chiave', { exact: true }).fill(words.join(', '));
  await page.getByRole('button', { name: 'Salva', exact: true }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Sposta su Scuola/Istruzione' }).focus();
  await page.keyboard.press('Enter');
  await expect(entries.nth(2)).toContainText('Scuola/Istruzione');
  await expect(page.getByRole('button', { name: 'Sposta su Scuola/Istruzione' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(entries.nth(1)).toContainText('Scuola/Istruzione');
  await entries.nth(1).getByTitle('Trascina per cambiare posto').dragTo(entries.nth(0));
  await expect(entries.nth(0)).toContainText('Scuola/Istruzione');

  await page.getByRole('button', { name: 'Modifica Sanità/Ospedali' }).click();
  await page.getByLabel('Nome', { exact: true }).fill('scuola/istruzione');
  await page.getByRole('button', { name: 'Salva', exact: true }).click();
  await expect(page.getByLabel('Nome', { exact: true })).toHaveAccessibleDescription(
    /già un reparto con questo nome/,
  );
  await audit(page, 'a name refused');
  await page.getByLabel('Nome', { exact: true }).fill(LONG);
  await inEveryWindow(page, 'a department open');
  await page.getByRole('button', { name: 'Salva', exact: true }).click();
  await expect(page.getByLabel('Nome', { exact: true })).toHaveAccessibleDescription(/40 caratteri/);
  await page.getByLabel('Nome', { exact: true }).fill(LONG.slice(0, 40));
  await page.getByRole('button', { name: 'Salva', exact: true }).click();
  await expect(page.getByTitle(LONG.slice(0, 40))).toBeVisible();
  await audit(page, 'the list of departments');
  await inEveryWindow(page, 'the list of departments');

  await page.getByRole('button', { name: 'Togli Scuola/Istruzione' }).click();
  const question = page.getByRole('dialog', { name: 'Togliere Scuola/Istruzione?' });
  await expect(question.getByRole('button', { name: 'Annulla' })).toBeFocused();
  await audit(page, 'the question before a removal');
  await question.getByLabel('Le sue segnalazioni (1) vanno a').selectOption(LONG.slice(0, 40));
  await question.getByRole('button', { name: 'Togli' }).click();
  await expect(entries).toHaveCount(6);
  await expect(page.getByTitle(LONG.slice(0, 40)).locator('..')).toContainText('1 segnalazione');
  const panel = new Panel(page);
  await panel.openReport(id);
  await expect(panel.department).toHaveValue('sanita');
  const moved = page.getByText(`Spostata da Scuola/Istruzione a ${LONG.slice(0, 40)}`);
  await expect(moved.filter({ visible: true })).toHaveCount(1);
  await inEveryWindow(page, 'a report of a long department');
  await page.setViewportSize({ width: 320, height: 568 });
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('lavoro');
  const choice = await page.getByRole('option', { name: /^Reparto: Lavoro/ }).boundingBox();
  expect(choice?.height, 'a department among the commands stays in words').toBeLessThan(90);
  await inEveryWindow(page, 'the commands of a report');
  await page.goto('/paibeta/admin/analytics');
  await expect(page.getByRole('link', { name: LONG.slice(0, 40) })).toBeVisible();
  await page.getByText('Mostra come tabella').last().click();
  await inEveryWindow(page, 'the figures of a long department');
});
