/** Without a mouse: the chat and a working day in the panel, with the focus always where one would look for it. */
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { Chat, REPLY_DELAY } from './support/chat';
import { walkTo } from './support/keys';
import { Panel } from './support/panel';
import { answersOf, giulia, matteo } from './support/people';

/** Writes down everything a live region is given from now on. */
async function listen(region: Locator): Promise<() => Promise<string[]>> {
  const said = await region.evaluateHandle((element) => {
    const lines: string[] = [];
    new MutationObserver((changes) => {
      for (const node of changes.flatMap((change) => [...change.addedNodes])) {
        lines.push(node.textContent ?? '');
      }
    }).observe(element, { childList: true, subtree: true });
    return lines;
  });
  return () => said.jsonValue();
}

test('a whole conversation without a mouse, the focus always where the next answer goes', async ({
  page,
  api,
}) => {
  const chat = await Chat.open(page);
  await expect(chat.box).toBeFocused();
  for (const text of answersOf(giulia)) {
    await page.keyboard.insertText(text);
    await page.keyboard.press('Enter');
    await expect(chat.box).toBeFocused();
    await page.clock.fastForward(REPLY_DELAY);
    await expect(chat.ready).toBeVisible();
    await expect(chat.box.or(page.getByRole('heading', { name: 'Controlla e invia' }))).toBeFocused();
  }
  await walkTo(page, chat.submit);
  await page.keyboard.press('Enter');
  await page.clock.fastForward(REPLY_DELAY);
  await expect(chat.closing).toBeFocused();
  expect((await api.list()).counters.total).toBe(1);

  await walkTo(page, page.getByRole('button', { name: 'Nuova segnalazione' }));
  await page.keyboard.press('Enter');
  await expect(chat.box).toBeFocused();
  await chat.asks('La tua età', 1);
});

test('a mistake leaves the focus in the box, and what was typed to be typed over', async ({ page }) => {
  const chat = await Chat.open(page);
  await chat.answer('zero');
  await expect(chat.box).toBeFocused();
  const chosen = () => chat.box.evaluate((box: HTMLInputElement) => [box.selectionStart, box.selectionEnd]);
  await expect.poll(chosen).toEqual([0, 4]);
});

test('a long conversation is scrolled with the keys', async ({ page }) => {
  const chat = await Chat.open(page);
  for (const text of answersOf(giulia).slice(0, 6)) {
    await chat.answer(text);
  }
  const region = page.getByRole('region', { name: 'Conversazione' });
  const top = () => region.evaluate((element) => element.scrollTop);
  const bottom = await top();
  expect(bottom).toBeGreaterThan(0);
  await walkTo(page, region, 'Shift+Tab');
  await page.keyboard.press('Home');
  await expect.poll(top).toBe(0);
  await page.keyboard.press('End');
  await expect.poll(top).toBeGreaterThanOrEqual(bottom);
});

test('each message of the assistant is announced once, then forgotten; nothing that was typed is', async ({
  page,
}) => {
  const chat = await Chat.open(page);
  const log = page.getByRole('log');
  await expect(log).toHaveAttribute('aria-live', 'polite');
  await expect(log).toBeEmpty();
  const said = await listen(log);
  // What is wrong with an answer interrupts.
  const refused = await listen(page.getByRole('alert'));

  for (const text of [giulia.eta, 'G', giulia.nome]) {
    await chat.answer(text);
    await page.clock.fastForward(1000);
    await expect(log).toBeEmpty();
  }
  const bubbles = await chat.bubbles
    .filter({ hasText: 'PelazzAI:' })
    .getByRole('paragraph')
    .allTextContents();
  // The welcome is there to be read.
  const spoken = bubbles.slice(await chat.bubbles.first().getByRole('paragraph').count());
  await expect.poll(said).toEqual(spoken);
  expect(await refused()).toEqual([
    'Inserisci un nome valido (almeno 2 caratteri).',
    'Scrivi solo il nome, per esempio Teresa.',
  ]);
});

test('from the list to a saved report and back, without a mouse', async ({ page, api, panel }) => {
  await api.tell(giulia);
  await api.tell(matteo);
  await panel.openList();
  await expect(panel.rows).toHaveCount(2);

  await page.keyboard.press('Tab');
  const skip = page.getByRole('button', { name: 'Vai al contenuto' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();

  await walkTo(page, panel.row(giulia).getByRole('link', { name: 'Apri' }));
  await page.keyboard.press('Enter');
  await expect(panel.name).toBeFocused();
  await expect(panel.name).toHaveText('Giulia Ferraro');

  await expect(panel.note).toBeVisible();
  await page.keyboard.press('2');
  await panel.hasStato('In lavorazione');
  await walkTo(page, panel.note);
  await page.keyboard.insertText('Da richiamare giovedì.');
  await walkTo(page, panel.save);
  await page.keyboard.press('Enter');
  await panel.saved();
  await expect(panel.save).toBeFocused();
  expect(await api.detailOf(giulia)).toMatchObject({
    stato: 'In lavorazione',
    note: 'Da richiamare giovedì.',
  });

  await walkTo(page, page.getByRole('link', { name: 'Torna alla lista' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(panel.row(giulia).getByRole('link', { name: 'Apri' })).toBeFocused();
  await expect(panel.row(giulia)).toContainText('In lavorazione');
});

test('a dialog keeps the focus and gives it back', async ({ page, api, panel }) => {
  const id = await api.tell(giulia);
  await panel.openReport(id);
  await panel.note.fill('Da richiamare giovedì.');
  const back = page.getByRole('link', { name: 'Torna alla lista' });
  await back.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Modifiche non salvate' });
  await expect(dialog.getByRole('button', { name: 'Resta qui' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(dialog.getByRole('button', { name: 'Esci senza salvare' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(back).toBeFocused();
});

test('a new report is announced in the panel', async ({ page, api, context, logIn }) => {
  await logIn(context);
  await new Panel(page).openList();
  await expect(page.getByText('Nessuna segnalazione trovata')).toBeVisible();
  const log = page.getByRole('log');
  await expect(log).toHaveAttribute('aria-live', 'polite');
  const said = await listen(log);
  await api.tell(giulia);
  await expect.poll(said).toEqual(['È arrivata una nuova segnalazione.']);
  await expect(log).toBeEmpty();
});

/** Keeps the answers of these addresses back until it is told to let them through. */
async function holdBack(page: Page, address: RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((done) => {
    release = done;
  });
  await page.route(address, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

test('keys are taken from the first frame, and wait for what they act on', async ({ page, api, panel }) => {
  const id = await api.tell(giulia);
  await api.tell(matteo);
  const address = '/paibeta/admin/reports';

  await test.step('before the session is known, with what is typed behind them', async () => {
    const release = await holdBack(page, /\/api\/session$/);
    await page.goto(address);
    await page.keyboard.press('/');
    await page.keyboard.type('Giulia');
    release();
    await expect(panel.field).toHaveValue('Giulia');
    await expect(panel.rows).toHaveCount(1);
  });

  await test.step('before the code of the page is there', async () => {
    const release = await holdBack(page, /\/desk-[^/]+\.js$/);
    await page.goto(address, { waitUntil: 'commit' });
    await page.waitForRequest(/\/desk-[^/]+\.js$/);
    await page.keyboard.press('f');
    await page.keyboard.press('1');
    release();
    await expect(page).toHaveURL(/\?stato=Nuova$/);
  });

  await test.step('before the rows are there', async () => {
    const release = await holdBack(page, /\/api\/reports\?/);
    await page.goto(address);
    await expect(panel.heading('Segnalazioni')).toBeVisible();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('o');
    release();
    await expect(panel.name).toHaveText('Giulia Ferraro');
  });

  await test.step('before the report is there, and never on the next one', async () => {
    const release = await holdBack(page, new RegExp(`/api/reports/${id}$`));
    await page.goto(`${address}/${id}`);
    await expect(page.getByRole('link', { name: 'Torna alla lista' })).toBeVisible();
    await page.keyboard.press('2');
    await page.keyboard.press('k');
    release();
    await expect(panel.name).toHaveText('Matteo D’Angelo');
    await expect.poll(() => api.detailOf(giulia)).toMatchObject({ stato: 'In lavorazione' });
    expect(await api.detailOf(matteo)).toMatchObject({ stato: 'Nuova' });
  });
});
