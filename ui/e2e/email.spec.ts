/** The mail settings: a server is set up, tried and saved, and the password is never seen again. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { MAIL_PASSWORD, MAIL_USER, Mailbox } from './support/mailbox';

const SAVED = 'Impostazioni email salvate con successo!';
const SENT = 'Test email inviata con successo! Controlla la tua casella di posta.';

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
const save = (page: Page) => page.getByRole('button', { name: 'Salva Modifiche' }).click();
const testButton = (page: Page) => page.getByRole('button', { name: 'Test Email' });

async function open(page: Page, task: 'recipients' | 'mail-server' | 'departments'): Promise<void> {
  await page.goto(`/paibeta/admin/settings/email/${task}`);
  await expect(page.getByRole('button', { name: 'Salva Modifiche' })).toBeVisible();
}

/** The recipient is saved on a page of its own. */
async function fillRecipient(page: Page): Promise<void> {
  await open(page, 'recipients');
  await field(page, 'Destinatari').fill('redazione@esempio.example');
  await save(page);
  await expect(page.getByText(SAVED)).toBeVisible();
  await open(page, 'mail-server');
}

async function fillServer(page: Page, port: number, password = MAIL_PASSWORD): Promise<void> {
  await field(page, 'Mittente').fill('posta@esempio.example');
  await field(page, 'Server').fill('127.0.0.1');
  await field(page, 'Porta').fill(String(port));
  await field(page, 'Utente').fill(MAIL_USER);
  await field(page, 'Password').fill(password);
  await page.getByRole('switch', { name: 'Connessione cifrata (TLS)' }).uncheck();
}

test.beforeEach(async ({ context, logIn }) => {
  await logIn(context);
});

test('a server is tried before it is saved, and the mail arrives', async ({ page, api }) => {
  const mailbox = await Mailbox.open();
  try {
    await fillRecipient(page);
    await expect(testButton(page)).toBeDisabled();
    await fillServer(page, mailbox.port);
    await testButton(page).click();
    await expect(page.getByText(SENT)).toBeVisible();
    expect(mailbox.mails).toHaveLength(1);
    expect(mailbox.mails[0]).toContain('To: redazione@esempio.example');
    await save(page);
    await expect(page.getByText(SAVED)).toBeVisible();

    await page.reload();
    await expect(field(page, 'Password')).toHaveValue('');
    await expect(field(page, 'Password')).toHaveAccessibleDescription(/Impostata/);
    expect(await (await api.fetch('GET', '/settings/email')).text()).not.toContain(MAIL_PASSWORD);
    await testButton(page).click();
    await expect(page.getByText(SENT)).toBeVisible();
    expect(mailbox.mails).toHaveLength(2);
    // For another login the stored password does not count.
    await field(page, 'Utente').fill('un altro');
    await expect(testButton(page)).toBeDisabled();
  } finally {
    await mailbox.close();
  }
});

test('accessible in every state', async ({ page, watch }) => {
  watch.expect(/status of 422/);
  for (const task of ['recipients', 'mail-server', 'departments'] as const) {
    await open(page, task);
    await audit(page, task);
  }
  await field(page, 'Email di Redazione Generale').fill('x');
  await save(page);
  await expect(page.getByRole('alert')).toBeVisible();
  await audit(page, 'refused');
});

test('on a screen of 320 pixels everything is within reach', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 700 });
  await open(page, 'departments');
  await field(page, 'Email di Redazione Generale').fill(`${'m'.repeat(60)}@esempio.example`);
  await page.keyboard.press('Enter');
  await expectNoSidewaysScroll(page, 'mail settings');
  await expect(page.getByRole('button', { name: 'Salva Modifiche' })).toBeInViewport({ ratio: 1 });
});

test('Microsoft 365 has its steps beside the fields, on a phone and on a screen', async ({ page }) => {
  await open(page, 'mail-server');
  await field(page, 'Accesso').selectOption('microsoft365');
  await page.getByText('Come si prepara Microsoft 365').click();
  await expect(page.getByText('SMTP.SendAsApp')).toBeVisible();
  await page.getByText('Altro cloud').click();
  await expect(field(page, 'Indirizzo dei token')).toBeVisible();
  for (const [width, height] of [
    [320, 568],
    [1366, 650],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expectNoSidewaysScroll(page, `Microsoft 365, ${width} pixels`);
    await audit(page, `Microsoft 365, ${width} pixels`);
  }
});

test('what Microsoft 365 lacks is told at its fields', async ({ page, watch, api }) => {
  watch.expect(/status of 422/);
  await open(page, 'mail-server');
  await field(page, 'Accesso').selectOption('microsoft365');
  await field(page, 'Utente').fill('segnalazioni@esempio.example');
  await save(page);
  const tenant = field(page, 'ID della directory (tenant)');
  await expect(tenant).toHaveAccessibleDescription(/Inserisci l'ID della directory \(tenant\)/);
  await tenant.fill('esempio.onmicrosoft.com');
  await field(page, 'ID applicazione (client)').fill('11112222-bbbb-3333-cccc-4444dddd5555');
  await field(page, 'Segreto dell’applicazione').fill('ApZ8Q~2ml.BG7-_');
  await field(page, 'Il segreto scade il').fill('2099-06-30');
  await save(page);
  await expect(page.getByText(SAVED)).toBeVisible();
  // The server is Microsoft's own.
  await expect(field(page, 'Server')).toHaveValue('smtp.office365.com');
  await expect(field(page, 'Segreto dell’applicazione')).toHaveAccessibleDescription(/Impostato/);
  const settings = await api.fetch('GET', '/settings/email');
  expect(await settings.text()).not.toContain('ApZ8Q');
});
