/** From the first start to the logout, in other engines than Chromium's. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { PASSWORD } from '../support/api';
import { answersOf, giulia } from '../support/people';
import { Server } from '../support/server';
import { Browser } from './driver';
import { ENGINES } from './engines';

/** Each engine breaks its lines elsewhere. */
const CODE = /([A-Z]{4}-\s?){7}[A-Z]{4}/;
const QUESTIONS = [
  'La tua età',
  'Il tuo nome',
  'Il tuo cognome',
  'Il tuo cellulare',
  'La tua email',
  'Il tuo indirizzo',
  'La tua segnalazione',
];

/** Words that worry. */
const GRAVE =
  'Non ce la faccio più con questa banca che mi ha tolto tutto: stanotte mi ammazzo, ho già scritto la lettera.';

const shows = (browser: Browser, text: string | RegExp) => expect.poll(() => browser.page()).toMatch(text);

async function setUp(browser: Browser, link: string): Promise<void> {
  await browser.go(link);
  await browser.type('Nuova password', PASSWORD);
  await browser.type('Ripeti la password', PASSWORD);
  await browser.click('button', 'Continua');
  await shows(browser, CODE);
  const code = CODE.exec(await browser.page())?.[0].replace(/\s/g, '') ?? '';
  await browser.click('button', 'Ho conservato il codice');
  await browser.type('Codice di recupero', code);
  await browser.click('button', 'Continua');
  await shows(browser, 'Che cosa serve per segnalare');
  await browser.click('button', 'Continua');
}

/** Whether the help and its numbers stand whole in the window, and the document is no taller than it. */
const HELP_IN_SIGHT = `const help = document.querySelector('[role=alert] a[href="tel:112"]')?.closest('[role=alert]');
  const { top, bottom } = help?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
  return top >= 0 && bottom <= innerHeight && document.documentElement.scrollHeight <= innerHeight;`;

for (const engine of ENGINES) {
  test(`${engine.name}: help stays in sight until it is read`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'segnalazioni-engines-'));
    const server = await Server.start(folder, 'demo');
    const browser = await Browser.open(engine);
    const inSight = () => expect.poll(() => browser.run<boolean>(HELP_IN_SIGHT)).toBe(true);
    try {
      await browser.go(`${server.origin}/paibeta/`);
      await browser.click('button', 'Inizia circa 5 minuti');
      for (const [index, answer] of answersOf(giulia).slice(0, 6).entries()) {
        await browser.type(QUESTIONS[index] ?? '', answer);
        await browser.click('button', 'Avanti');
      }
      await browser.type('La tua segnalazione', GRAVE);
      await browser.click('button', 'Avanti');
      await inSight();
      await browser.run(
        'for (const one of document.querySelectorAll("*")) one.scrollTop = one.scrollHeight;',
      );
      await inSight();
      await browser.click('button', 'Ho letto');
      await browser.click('button', 'Invia la segnalazione');
      await shows(browser, 'è arrivata alla redazione');
    } finally {
      await browser.close();
      await server.stop();
      await rm(folder, { recursive: true });
    }
  });

  test(`${engine.name}: set-up, login, report, status, note, logout`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'segnalazioni-engines-'));
    const server = await Server.start(folder, 'empty');
    const browser = await Browser.open(engine);
    try {
      await setUp(browser, server.setupLink);
      await shows(browser, 'Nessuna segnalazione trovata');
      await browser.click('button', 'Il tuo accesso');
      await browser.click('button', 'Esci');
      await browser.type('Password', PASSWORD);
      await browser.click('button', 'Accedi al Pannello');
      await shows(browser, 'Nessuna segnalazione trovata');

      await browser.go(`${server.origin}/paibeta/`);
      await browser.click('button', 'Inizia circa 5 minuti');
      for (const [index, answer] of answersOf(giulia).entries()) {
        await browser.type(QUESTIONS[index] ?? '', answer);
        await browser.click('button', 'Avanti');
      }
      await browser.click('button', 'Invia la segnalazione');
      await shows(browser, 'è arrivata alla redazione');

      await browser.go(`${server.origin}/paibeta/admin/reports`);
      await browser.click('a', 'Giulia Ferraro');
      await browser.choose('Azioni', 'Stato', 'In lavorazione');
      await browser.type('Note Interne', 'Chiamata la signora.');
      await browser.click('button', 'Salva Modifiche');
      await shows(browser, 'Nota salvata');

      await browser.go(`${server.origin}/paibeta/admin/reports?stato=In+lavorazione`);
      await shows(browser, 'Giulia Ferraro');
      const light = await browser.lightness('Seleziona la segnalazione');
      expect(light, 'a box that can be ticked is dark in the dark theme').toBeLessThan(128);
      await browser.click('button', 'Il tuo accesso');
      await browser.click('button', 'Esci');
      await shows(browser, 'Accesso al pannello');
    } finally {
      await browser.close();
      await server.stop();
      await rm(folder, { recursive: true });
    }
  });
}
