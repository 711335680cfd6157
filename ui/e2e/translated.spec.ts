/** The pages for reporters while the browser translates them: it wraps every text of the page in elements of its own. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { beds } from './support/callouts';
import { Chat } from './support/chat';
import { answersOf, giulia } from './support/people';

/** What Chromium does from now on to each text that comes, here with the same words; boxes and what must stay are left alone. */
function translate(): void {
  const left = '[translate="no"], script, style, textarea, noscript';
  const wrap = (text: Node) => {
    const { parentElement } = text;
    if (!parentElement || parentElement.localName === 'font' || parentElement.closest(left)) {
      return;
    }
    const [outer, inner] = [document.createElement('font'), document.createElement('font')];
    inner.textContent = text.nodeValue;
    outer.append(inner);
    text.parentNode?.replaceChild(outer, text);
  };
  const wrapAll = (root: Node) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts: Node[] = [];
    while (walker.nextNode()) {
      texts.push(walker.currentNode);
    }
    for (const text of texts.filter(({ nodeValue }) => nodeValue?.trim())) {
      wrap(text);
    }
  };
  wrapAll(document.body);
  new MutationObserver((changes) => {
    for (const added of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
      added.nodeType === Node.TEXT_NODE ? wrap(added) : wrapAll(added);
    }
  }).observe(document.body, { childList: true, subtree: true });
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** A page that lives, and is being translated. */
async function opened(page: Page, path?: string): Promise<Chat> {
  await page.clock.install();
  await page.goto(path ?? '/paibeta/');
  const chat = new Chat(page);
  await chat.alive();
  await page.evaluate(translate);
  await chat.begin.click();
  return chat;
}

test('a page that is translated before it lives comes to life', async ({ page, watch }) => {
  // React finds other elements than it drew, says so, and draws anew.
  watch.expect(/React error #418/);
  await page.addInitScript(`document.addEventListener('DOMContentLoaded', ${translate});`);
  const chat = await Chat.open(page);
  await chat.asks('La tua età', 1);
  await chat.answer(giulia.eta);
  await chat.asks('Il tuo nome', 2);
});

test('the chat asks each question by its own name, to the code', async ({ page, api }) => {
  await api.saveSecurity({ emailRequired: false });
  const chat = await opened(page);
  const labels = [
    'La tua età',
    'Il tuo nome',
    'Il tuo cognome',
    'Il tuo cellulare',
    'La tua email',
    'Il tuo indirizzo',
  ];
  const answers = answersOf(giulia);
  for (const [place, label] of labels.entries()) {
    await chat.asks(label, place + 1);
    // A refusal, what it says, and that it goes.
    await chat.answer(place === 1 ? '7' : 'x');
    await expect(chat.refusal.first()).toBeVisible();
    await chat.answer(answers[place] ?? '');
    await expect(chat.refusal).toHaveCount(0);
  }
  await chat.asks('La tua segnalazione', 7);
  await page.getByRole('button', { name: /^Correggi.*Il tuo nome/ }).click();
  await page.clock.fastForward(1000);
  await expect(page.getByText('Stai correggendo · Domanda 2 di 8')).toBeVisible();
  await button(page, 'Lascia com’è').click();
  await page.clock.fastForward(1000);
  await chat.asks('La tua segnalazione', 7);
  await page.getByLabel('Allega file').setInputFiles({
    name: 'turni.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.7\nturni'),
  });
  await expect(page.getByText(/^Allegato, /)).toBeVisible();
  await expect(button(page, 'Togli turni.pdf')).toBeVisible();
  await chat.answer(giulia.segnalazione);
  await expect(chat.review).toContainText(giulia.email);
  await button(page, 'Ricomincia').click();
  await button(page, 'Annulla').click();
  await button(page, 'Aggiungi qualcosa').click();
  await chat.box.fill('Lo sa un avvocato');
  await chat.submit.click();
  await page.clock.fastForward(1000);
  await expect(chat.failure).toContainText('Togli la parola «avvocato»');
  await chat.box.fill('Lo sa mia sorella');
  await chat.submit.click();
  await page.clock.fastForward(1000);
  await expect(chat.closing).toBeVisible();
  await button(page, 'Salva il codice').click();
  await button(page, 'Mostra il QR').click();
  await expect(page.getByRole('img', { name: /^Codice QR/ })).toBeVisible();
  await expect(page.locator('samp font')).toHaveCount(0);
  expect((await api.detailOf(giulia)).segnalazione).toContain('sorella');
});

test('help, an end by a route and every kind of question of a callout', async ({ page, api }) => {
  await api.openCallout(beds);
  const chat = await opened(page, `/paibeta/i/${beds.slug}`);
  await chat.answer(giulia.eta);
  await chat.press('A me non è successo');
  await expect(page.getByText('Grazie lo stesso.').first()).toBeVisible();
  await button(page, 'Correggi l’ultima risposta').click();
  await chat.press('Milano');
  await page.getByRole('checkbox', { name: 'Un’agenzia' }).check();
  await button(page, 'Avanti').click();
  await page.clock.fastForward(1000);
  await chat.answer('9000');
  await expect(chat.refusal.first()).toContainText('5000');
  await chat.press('Salta');
  await chat.press('Salta');
  await chat.press('No');
  await chat.answer(
    'In contanti, ma adesso voglio morire, non ce la faccio più, stanotte la faccio finita.'.slice(0, 60),
  );
  await expect(page.getByTestId('typing')).toBeHidden();
  await button(page, 'Ho letto').click();
  await expect(page.getByText(/^Domanda 8 di \d+$/)).toBeVisible();
});

test('who comes back sees what changes', async ({ page, api, watch }) => {
  watch.expect(/404/);
  const { id, code } = await api.tellForCode(giulia);
  await page.clock.install();
  await page.goto('/paibeta/seguito');
  await expect(page.getByLabel('Il tuo codice')).toBeVisible();
  await page.evaluate(translate);
  await page.getByLabel('Il tuo codice').fill('AAAAA-AAAAA-AAAAA-AAAAA');
  await button(page, 'Apri').click();
  await expect(page.getByRole('alert').first()).toContainText(/codice/i);
  await page.getByLabel('Il tuo codice').fill(code);
  await button(page, 'Apri').click();
  await expect(page.getByRole('heading', { name: 'È arrivata alla redazione.' })).toBeVisible();
  await api.change(id, { stato: 'In lavorazione' });
  await page.clock.fastForward(16_000);
  await expect(page.getByRole('heading', { name: 'La redazione ci sta lavorando.' })).toBeVisible();
  await expect(page.getByText(/^Ti abbiamo letto in tempo/)).toBeVisible();
  await expect(page.getByText('In lavorazione', { exact: true })).toBeVisible();
  await page.getByLabel('Scrivi alla redazione').fill('Sono ancora qui.');
  await button(page, 'Invia').click();
  await expect(page.getByText('Sono ancora qui.', { exact: true })).toBeVisible();
  await button(page, 'Chiedi di ritirare tutto').click();
  await button(page, 'Invia la richiesta').click();
  await expect(page.getByText(/^Hai chiesto di ritirare tutto/)).toBeVisible();
  await button(page, 'Esci').click();
  await expect(page.getByLabel('Il tuo codice')).toBeVisible();
});
