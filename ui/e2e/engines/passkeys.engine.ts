/** Passkeys in other engines than Chromium's: used where the engine knows them, and explained where it does not. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Api, PASSWORD } from '../support/api';
import { resetPassword, Server } from '../support/server';
import { Browser } from './driver';
import { ENGINES } from './engines';

const ANNA = 'sette lampioni lungo il viale';
const anna = { name: 'Anna Bianchi', user: 'anna.bianchi', role: 'redattore' as const, departments: [] };

const shows = (browser: Browser, text: string | RegExp) => expect.poll(() => browser.page()).toMatch(text);

async function logIn(browser: Browser, origin: string): Promise<void> {
  await browser.go(`${origin}/paibeta/login`);
  await browser.click('button', 'Accedi con il tuo nome utente');
  await browser.type('Nome utente', anna.user);
  await browser.type('Password', ANNA);
  await browser.click('button', 'Accedi al Pannello');
  await shows(browser, 'Nessuna segnalazione trovata');
  await browser.go(`${origin}/paibeta/admin/account`);
  await shows(browser, 'Se perdi il telefono');
}

/**
 * By the button alone: whether the autofill answers by itself differs. And without what opens an archive: the device that
 * Firefox pretends to have adds it to the signed data without the flag that says so, and no server accepts that.
 */
const PLAIN = `const { credentials } = navigator, get = credentials.get.bind(credentials);
  PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
  credentials.get = ({ publicKey: { extensions, ...publicKey }, ...rest }) => get({ ...rest, publicKey });`;

async function makeAndUse(browser: Browser): Promise<void> {
  await browser.plugIn();
  await browser.click('button', 'Aggiungi una passkey');
  await browser.type('Nome della passkey', 'Computer');
  await browser.type('La tua password', ANNA);
  await browser.click('button', 'Continua');
  await shows(browser, 'mai usata');
  await browser.run(PLAIN);
  await browser.click('button', anna.name);
  await browser.click('button', 'Esci');
  await browser.click('button', 'Accedi con una passkey');
  await shows(browser, 'Nessuna segnalazione trovata');
}

for (const engine of ENGINES) {
  test(`${engine.name}: passkeys, or why there are none`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'segnalazioni-engines-'));
    await resetPassword(folder, PASSWORD);
    const server = await Server.start(folder, 'configured', undefined, 'localhost');
    const browser = await Browser.open(engine);
    try {
      const api = new Api(server.origin);
      await api.logIn(PASSWORD);
      await api.welcome(anna, ANNA);
      await logIn(browser, server.origin);
      if (await browser.run<boolean>('return typeof PublicKeyCredential === "function"')) {
        await makeAndUse(browser);
      } else {
        await shows(browser, 'Questo browser non conosce le passkey');
        expect(await browser.page()).not.toContain('Aggiungi una passkey');
      }
    } finally {
      await browser.close();
      await server.stop();
      await rm(folder, { recursive: true });
    }
  });
}
