/** Takes README's pictures. Must show the product as it is: invented people, but nothing drawn over. */
import { resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures';
import { type Api, PASSWORD } from '../support/api';
import { Chat } from '../support/chat';
import { Mailbox } from '../support/mailbox';
import { Panel } from '../support/panel';
import { answersOf, giulia, matteo } from '../support/people';
import { png } from '../support/picture';

const FOLDER = resolve(import.meta.dirname, '../../../docs/screenshots');

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const DESKTOP = { viewport: { width: 1280, height: 800 } };

async function shoot(page: Page, name: string): Promise<void> {
  // A caret that blinks makes two pictures of one page.
  await page.screenshot({ path: resolve(FOLDER, `${name}.png`), animations: 'disabled', caret: 'hide' });
}

test.describe('the chat on a phone', () => {
  test.use({ ...PHONE, theme: 'light' });

  test('chat-phone', async ({ page }) => {
    const chat = await Chat.open(page);
    for (const text of ['34', giulia.nome, giulia.cognome, '0611234567']) {
      await chat.answer(text);
    }
    await shoot(page, 'chat-phone');
  });
});

/** What somebody who reports sees, from the first word to the way back. */
async function report(page: Page, kind: string): Promise<void> {
  const chat = await Chat.open(page);
  await shoot(page, `chat-${kind}-start`);
  for (const text of answersOf(giulia).slice(0, -1)) {
    await chat.answer(text);
  }
  await shoot(page, `chat-${kind}-account`);
  await page
    .getByLabel('Allega file')
    .setInputFiles({ name: 'cantiere.png', mimeType: 'image/png', buffer: png(64, 64, [128, 128, 128]) });
  await expect(page.getByText('Allegato, 1 kB', { exact: true })).toBeVisible();
  await shoot(page, `chat-${kind}-attachment`);
  await chat.answer(giulia.segnalazione);
  await shoot(page, `chat-${kind}-summary`);
  await chat.finish();
  await shoot(page, `chat-${kind}-end`);
  const receipt = page.getByRole('region', { name: 'Ricevuta' });
  const code = /[0-9A-Z]{5}(-[0-9A-Z]{5}){3}/.exec((await receipt.textContent()) ?? '')?.[0] ?? '';
  await page.goto('/paibeta/seguito');
  await page.getByLabel('Il tuo codice').fill(code);
  await page.getByRole('button', { name: 'Apri' }).click();
  await expect(page.getByRole('heading', { name: 'Messaggi' })).toBeVisible();
  await shoot(page, `chat-${kind}-return`);
}

test.describe('a whole report on a phone', () => {
  test.use({ ...PHONE, deviceScaleFactor: 1, theme: 'light' });
  test('chat-phone', async ({ page }) => report(page, 'phone'));
});

test.describe('a whole report on a desk', () => {
  test.use({ ...DESKTOP, theme: 'dark' });
  test('chat-desk', async ({ page }) => report(page, 'desk'));
});

test.describe('the panel', () => {
  test.use({ ...DESKTOP, kind: 'demo', theme: 'dark' });

  test('list', async ({ page, context, logIn }) => {
    await logIn(context);
    const panel = new Panel(page);
    await panel.openList();
    await expect(panel.rows).toHaveCount(8);
    await shoot(page, 'list');
  });

  test('detail and conflict', async ({ page, context, api, logIn, watch }) => {
    watch.expect(/status of 412/);
    await logIn(context);
    const panel = new Panel(page);
    const { data } = await api.list('?stato=Nuova');
    const id = data[0]?.id ?? '';
    await panel.openReport(id);
    await panel.note.fill('Sentita al telefono: manda le fotografie domani.');
    await shoot(page, 'detail');

    await api.change(id, { note: 'Assegnata a Marta, sopralluogo martedì.' });
    await panel.save.click();
    await panel.conflict.scrollIntoViewIfNeeded();
    await expect(panel.conflict).toBeVisible();
    await shoot(page, 'conflict');
  });
});

/** Every other screen of the panel: name of the picture, address, heading. */
const SCREENS = [
  ['analytics', 'analytics', 'Analytics'],
  ['prompts', 'prompts', 'Configurazione Prompt'],
  ['settings', 'settings', 'Impostazioni'],
  ['settings-mail', 'settings/email/mail-server', 'Server di posta'],
] as const;

async function openScreen(page: Page, address: string, heading: string): Promise<void> {
  await page.goto(`/paibeta/admin/${address}`);
  await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

test.describe('the other screens on a desk', () => {
  test.use({ ...DESKTOP, kind: 'demo', theme: 'dark' });

  for (const [name, address, heading] of SCREENS) {
    test(name, async ({ page, context, logIn }) => {
      await logIn(context);
      await openScreen(page, address, heading);
      await shoot(page, name);
    });
  }
});

/** One mail that was refused, and one that arrived. */
async function deliveries(page: Page, api: Api, name: string): Promise<void> {
  const mailbox = await Mailbox.open();
  await mailbox.serve(api, 'redazione@esempio.example');
  mailbox.refusal = '550 casella sconosciuta';
  await api.tell(giulia);
  const address = '/paibeta/admin/deliveries';
  await page.goto(address);
  await expect(page.getByText('email fallita', { exact: true })).toBeVisible();
  mailbox.refusal = null;
  await api.tell(matteo);
  await page.goto(address);
  await expect(page.getByText('email consegnata', { exact: true })).toBeVisible();
  await shoot(page, name);
  await mailbox.close();
}

test.describe('the deliveries on a desk', () => {
  test.use({ ...DESKTOP, theme: 'dark' });
  test('deliveries', async ({ page, context, api, logIn }) => {
    await logIn(context);
    await deliveries(page, api, 'deliveries');
  });
});

test.describe('the deliveries on a phone', () => {
  test.use({ ...PHONE, theme: 'light' });
  test('deliveries-phone', async ({ page, context, api, logIn }) => {
    await logIn(context);
    await deliveries(page, api, 'deliveries-phone');
  });
});

test.describe('the screens on a phone', () => {
  test.use({ ...PHONE, kind: 'demo', theme: 'light' });

  for (const [name, address, heading] of [['list', 'reports', 'Segnalazioni'], ...SCREENS] as const) {
    test(`${name}-phone`, async ({ page, context, logIn }) => {
      await logIn(context);
      await openScreen(page, address, heading);
      await shoot(page, `${name}-phone`);
    });
  }
});

test.describe('the way in', () => {
  test.use({ ...DESKTOP, theme: 'dark' });

  test('login', async ({ page, watch }) => {
    watch.expect(/status of 401/);
    await page.goto('/paibeta/login');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await shoot(page, 'login');
  });

  test.describe('for the first time', () => {
    test.use({ kind: 'empty' });

    test('setup', async ({ page, server }) => {
      await page.goto(server.setupLink);
      await page.getByLabel('Nuova password').fill(PASSWORD);
      await page.getByLabel('Ripeti la password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Continua' }).click();
      await expect(page.getByRole('heading', { name: 'Il codice di recupero' })).toBeVisible();
      await shoot(page, 'setup');
    });
  });
});
