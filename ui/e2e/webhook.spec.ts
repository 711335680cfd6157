/** The webhook's signing key, which is shown once, and a logo from an address. */
import type { SystemSettings } from '../src/shared/api/schema';
import { expect, test } from './fixtures';
import type { Api } from './support/api';
import { audit, expectNoSidewaysScroll } from './support/audit';

const read = async (api: Api) =>
  (await (await api.fetch('GET', '/settings/system')).json()) as SystemSettings;

test('the signing key is made, shown once, and taken away after a question', async ({
  page,
  api,
  context,
  logIn,
}) => {
  await logIn(context);
  await page.goto('/paibeta/admin/settings/system/webhook');
  const card = page.getByRole('main');
  await card.getByRole('button', { name: 'Genera una chiave di firma' }).click();
  const shown = card.getByText(/^whsec_/);
  await expect(shown).toBeVisible();
  await audit(page, 'signing key shown');
  await page.setViewportSize({ width: 320, height: 568 });
  await expectNoSidewaysScroll(page, 'signing key shown');
  expect(await read(api)).toMatchObject({ webhookSecretSet: true });
  await page.reload();
  await expect(card.getByText(/^Attiva:/)).toBeVisible();
  await expect(shown).toHaveCount(0);
  await card.getByRole('button', { name: 'Togli la firma' }).click();
  const dialog = page.getByRole('dialog', { name: 'Togli la firma' });
  await expect(dialog.getByRole('button', { name: 'Annulla' })).toBeFocused();
  await dialog.getByRole('button', { name: 'Togli', exact: true }).click();
  await expect(card.getByText(/^Non attiva\./)).toBeVisible();
  expect(await read(api)).toMatchObject({ webhookSecretSet: false });
});

test('a logo is not fetched from inside this machine', async ({ page, context, logIn, watch }) => {
  watch.expect(/status of 422.*\/settings\/system/);
  await logIn(context);
  await page.goto('/paibeta/admin/settings/system/look');
  const address = page.getByLabel('Indirizzo del logo');
  await address.fill('https://127.0.0.1:9/logo.png');
  await page.getByRole('button', { name: 'Salva Modifiche' }).click();
  await expect(address).toHaveAccessibleDescription(/rete privata.*caricare il file\./);
  await expect(address).toBeFocused();
});
