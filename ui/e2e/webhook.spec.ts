/** The webhook's settings: a key that is written and never read, a signing key that is shown once. */
import type { SystemSettings } from '../src/shared/api/schema';
import { expect, test } from './fixtures';
import type { Api } from './support/api';
import { audit, expectNoSidewaysScroll } from './support/audit';

const SAVED = 'Impostazioni di sistema salvate con successo!';
const read = async (api: Api) =>
  (await (await api.fetch('GET', '/settings/system')).json()) as SystemSettings;

test('address and key are saved, the key is never seen again and goes with its address', async ({
  page,
  api,
  context,
  logIn,
}) => {
  await logIn(context);
  await page.goto('/paibeta/admin/settings/system/webhook');
  const card = page.getByRole('main');
  const key = card.getByLabel('Chiave API', { exact: true });
  const save = page.getByRole('button', { name: 'Salva Modifiche' });
  await card.getByRole('switch', { name: 'Webhook attivo' }).click();
  await card.getByLabel('Indirizzo del webhook').fill('https://esempio.example/hook');
  await key.fill('chiave-molto-segreta');
  await card.getByLabel('Che cosa inviare').selectOption('thin');
  await save.click();
  await expect(page.getByText(SAVED)).toBeVisible();
  expect(await read(api)).toMatchObject({
    enableWebhook: true,
    webhookUrl: 'https://esempio.example/hook',
    webhookPayload: 'thin',
    webhookApiKey: null,
    webhookApiKeySet: true,
  });
  await page.reload();
  await expect(key).toHaveValue('');
  await expect(key).toHaveAccessibleDescription(/Impostata\. Non viene mai mostrata/);
  expect(await page.content()).not.toContain('chiave-molto-segreta');

  await card.getByLabel('Indirizzo del webhook').fill('https://altrove.example/hook');
  await expect(card.getByText('la chiave e la firma salvate vengono cancellate')).toBeVisible();
  await save.click();
  await expect(page.getByText(SAVED)).toBeVisible();
  await expect(key).not.toHaveAccessibleDescription(/Impostata/);
  expect(await read(api)).toMatchObject({ webhookApiKeySet: false });
});

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
