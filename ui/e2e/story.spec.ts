/** The main story: from an empty folder to a report that two editors have worked on. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { PASSWORD } from './support/api';
import { Chat } from './support/chat';
import { fullName, Panel } from './support/panel';
import { giulia } from './support/people';

/** How the page of the last question is called. */
const REVIEW = 'Controlla e invia';

/** One wrong answer for each question, what is said to be wrong with it, and how the box is called. */
const MISTAKES = [
  ['La tua età', 'boh', 'Mi basta il numero degli anni compiuti, per esempio 42.'],
  ['Il tuo nome', 'G', 'Scrivi solo il nome, per esempio Teresa.'],
  ['Il tuo cognome', 'F', 'Scrivi solo il cognome, per esempio Rossi.'],
  ['Il tuo cellulare', '0611234567', 'Qui serve un cellulare, che comincia con 3, per esempio 333 123 4567.'],
  ['La tua email', 'giulia.ferraro@esempio', 'Dopo la chiocciola manca un pezzo, per esempio anna@posta.it.'],
  ['Il tuo indirizzo', 'Via Po 1', 'Scrivi via, numero e città: via Roma 12, Napoli.'],
  [
    'La tua segnalazione',
    'Nella mensa della scuola servono piatti scaduti.',
    'Mancano 22 caratteri: chi, dove, quando?',
  ],
  [
    REVIEW,
    'Posso parlarne con un avvocato?',
    'Togli la parola «avvocato», o scrivila in un altro modo: questa chat non la accetta.',
  ],
] as const;

const RIGHT = [
  giulia.eta,
  giulia.nome,
  giulia.cognome,
  giulia.telefono,
  giulia.email,
  giulia.indirizzo,
  giulia.segnalazione,
] as const;

/** From the link on the terminal to the open panel, with one slip on the way. */
async function setUp(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await expect(page).toHaveURL(/\/setup$/);
  await page.getByLabel('Nuova password').fill(PASSWORD);
  await page.getByLabel('Ripeti la password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Continua' }).click();

  const shown = page.getByText(/Codice di recupero: ?([A-Z]{4}-){7}[A-Z]{4}/);
  await expect(shown).toBeVisible();
  const code = /([A-Z]{4}-){7}[A-Z]{4}/.exec((await shown.textContent()) ?? '')?.[0] ?? '';
  await page.getByRole('button', { name: 'Ho conservato il codice' }).click();

  const box = page.getByRole('textbox', { name: 'Codice di recupero' });
  await box.fill([...code].reverse().join(''));
  await page.getByRole('button', { name: 'Continua' }).click();
  await expect(box).toHaveAccessibleDescription(/Il codice non corrisponde a quello mostrato/);
  await expect(box).toBeFocused();

  // Typed from paper: small letters, blanks for dashes.
  await box.fill(code.toLowerCase().replaceAll('-', ' '));
  await page.getByRole('button', { name: 'Continua' }).click();
  await expect(page.getByRole('switch', { name: 'Telefono obbligatorio' })).toBeChecked();
  await page.getByRole('button', { name: 'Continua' }).click();
  await expect(page.getByLabel(/^Tieni i reparti che ci sono/)).toBeChecked();
  await page.getByRole('button', { name: 'Continua' }).click();
  await expect(new Panel(page).heading('Segnalazioni')).toBeVisible();
}

async function tellWithMistakes(chat: Chat): Promise<void> {
  for (const [index, [label, wrong, complaint]] of MISTAKES.entries()) {
    const asked = () => (label === REVIEW ? expect(chat.review).toBeVisible() : chat.asks(label, index + 1));
    await asked();
    await chat.answer(wrong);
    await expect(chat.refusal.last()).toHaveText(complaint);
    await asked();
    await expect(chat.box).toHaveValue(wrong);
    await expect(chat.box).toHaveAttribute('aria-invalid', 'true');
    await expect(chat.box).toHaveAccessibleDescription(new RegExp(complaint.replace(/[().?]/g, '\\$&')));
    const right = RIGHT[index];
    if (right !== undefined) {
      await chat.answer(right);
    }
  }
}

test.describe('in an empty folder', () => {
  test.use({ kind: 'empty' });

  test('set-up, report, panel: the way of one report', async ({ page, server, visit, watch }) => {
    const panel = new Panel(page);
    await test.step('the link of the terminal sets the password, with the recovery code typed back', async () => {
      watch.expect(/status of 422.*\/setup/);
      await setUp(page, server.setupLink);
      await expect(page.getByText('Nessuna segnalazione trovata')).toBeVisible();
    });

    await test.step('who leaves the page that set it up finds the login', async () => {
      watch.expect(/status of 401.*\/session/);
      await panel.logOut();
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Accedi al Pannello' }).click();
      await expect(page.getByText('Nessuna segnalazione trovata')).toBeVisible();
    });

    await test.step('a citizen tells the assistant, with one mistake per question', async () => {
      const chat = await Chat.open(await visit());
      await tellWithMistakes(chat);
      await chat.finish('No');
      await chat.lastBubble(/la tua segnalazione è arrivata alla redazione di Le Iene/);
    });

    await test.step('the report appears in the open panel within three seconds', async () => {
      await expect(panel.row(giulia)).toBeVisible({ timeout: 20_000 });
      await expect(panel.row(giulia)).toContainText('Appena arrivata');
      await expect(panel.row(giulia)).toContainText(giulia.segnalazione.slice(0, 40));
      await expect(panel.counter('in tutto')).toHaveText('1 in tutto');
      await expect(panel.counter('nuova')).toHaveText('1 nuova');
    });

    await test.step('the detail shows everything', async () => {
      await panel.open(giulia);
      await expect(panel.name).toHaveText(fullName(giulia));
      await expect(page.getByRole('link', { name: '3331234567' })).toBeVisible();
      await expect(page.getByRole('link', { name: giulia.email })).toBeVisible();
      await panel.unfold('Dati Personali');
      await expect(panel.fact('Età')).toHaveText('34 anni');
      await expect(panel.fact('Telefono')).toHaveText('3331234567');
      await expect(panel.fact('Email')).toHaveText(giulia.email);
      await expect(panel.fact('Indirizzo')).toHaveText(giulia.indirizzo);
      await expect(panel.card('Testo della Segnalazione')).toContainText(giulia.segnalazione);
      await expect(panel.card('Testo della Segnalazione')).toContainText('152 caratteri, 25 parole');
      await expect(page.getByText(/^Ricevuta il \d\d\/\d\d\/\d{4} \d\d:\d\d$/)).toBeVisible();
      await panel.hasStato('Nuova');
    });

    await test.step('the status is saved as it is chosen, the note by its button, and the history tells of it', async () => {
      await expect(panel.save).toBeDisabled();
      await panel.stato.selectOption('In lavorazione');
      await panel.hasStato('In lavorazione');
      await panel.note.fill('Chiamata la signora: manda le fotografie.');
      await panel.save.click();
      await panel.saved();
      const history = (await panel.unfold('Cronologia')).getByRole('listitem');
      await expect(history.filter({ hasText: 'Stato modificato da Nuova a In lavorazione' })).toHaveCount(1);
      await expect(history.filter({ hasText: 'Note interne modificate' })).toHaveCount(1);
      await expect(history.last()).toContainText('Arrivata dalla chat');
      await page.reload();
      await expect(panel.facts).toBeVisible();
      await panel.openFacts();
      await expect(panel.note).toHaveValue('Chiamata la signora: manda le fotografie.');
    });

    await test.step('logging out closes the panel', async () => {
      watch.expect(/status of 401.*\/session/);
      await panel.logOut();
      await page.goto('/paibeta/admin/reports');
      await expect(panel.heading('Accesso al pannello')).toBeVisible();
    });

    await test.step('nothing of the report is in the clear on disk or in the log', async () => {
      const folder = join(server.folder, 'data');
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      expect(files.length).toBeGreaterThan(0);
      const kept = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name))));
      for (const secret of [giulia.cognome, '3331234567', 'mensa', 'fotografie']) {
        expect(server.log).not.toContain(secret);
        expect(kept.filter((content) => content.includes(secret))).toHaveLength(0);
      }
    });
  });
});
