/** People with an access of their own: from the invitation to the first report, the second factor, what a role may do. */
import { devices, type Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Panel } from './support/panel';
import { giulia } from './support/people';

const ANNA = 'sette lampioni lungo il viale';
const anna = { name: 'Anna Bianchi', user: 'anna.bianchi', role: 'redattore' as const, departments: [] };

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();

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

for (const theme of ['light', 'dark'] as const) {
  test.describe(`in ${theme} colours`, () => {
    test.use({ theme });

    test('from the invitation to the first report, on a phone', async ({
      page,
      api,
      context,
      logIn,
      visit,
    }) => {
      await api.tell(giulia);
      await logIn(context);
      await page.goto('/paibeta/admin/settings/security/people');
      await look(page, 'nobody yet');
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
  });
}
