/** The chat in detail: what the box does, what ends a conversation, what stays and what must not. */
import { expect, test } from './fixtures';
import { Chat, CLOSED, NO_TRACES, REPLY_DELAY } from './support/chat';
import { holdNext } from './support/hold';
import { answersOf, giulia } from './support/people';

test('Enter sends, Shift+Enter breaks the line, blank text cannot be sent', async ({ page, api }) => {
  const chat = await Chat.open(page);
  await expect(chat.box).toHaveAttribute('placeholder', 'Scrivi la tua risposta...');
  await expect(chat.send).toBeDisabled();

  await chat.box.fill(' \n\t ');
  await expect(chat.send).toBeDisabled();
  await chat.box.press('Enter');
  await expect(chat.bubbles).toHaveCount(1);

  await chat.box.fill('');
  for (const text of answersOf(giulia).slice(0, 6)) {
    await chat.answer(text);
  }
  await chat.box.fill(giulia.segnalazione);
  await chat.box.press('Shift+Enter');
  await chat.box.pressSequentially('La mensa serve duecento bambini.');
  const account = `${giulia.segnalazione}\nLa mensa serve duecento bambini.`;
  await expect(chat.box).toHaveValue(account);
  await expect(chat.send).toBeEnabled();
  await chat.box.press('Enter');
  await page.clock.fastForward(REPLY_DELAY);
  await expect(chat.review).toBeVisible();
  await chat.finish();
  expect((await api.detailOf(giulia)).segnalazione).toBe(account);
});

test('the reply comes after one second of dots, with the box locked', async ({ page }) => {
  const chat = await Chat.open(page);
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  const answered = page.waitForResponse(/\/chat\/turns$/);
  await chat.box.fill('34');
  await chat.box.press('Enter');
  const answer = await answered;
  await answer.finished();

  const dots = page.getByTestId('typing');
  await expect(chat.box).toHaveValue('');
  await expect(chat.box).not.toBeEditable();
  await expect(chat.box).toBeFocused();
  await expect(chat.send).toBeDisabled();
  await expect(chat.bubbles).toHaveCount(2);
  await expect(dots).toBeVisible();

  await page.clock.runFor(REPLY_DELAY - 10);
  await expect(dots).toBeVisible();
  await expect(chat.bubbles).toHaveCount(2);
  await page.clock.runFor(10);
  await expect(dots).toBeHidden();
  await expect(chat.bubbles).toHaveCount(4);
  await expect(chat.box).toBeEditable();
});

test('a double click on the button sends once', async ({ page }) => {
  const chat = await Chat.open(page);
  let turns = 0;
  page.on('request', (request) => {
    turns += request.url().endsWith('/chat/turns') ? 1 : 0;
  });
  await chat.box.fill('34');
  await chat.send.dblclick();
  await page.clock.fastForward(REPLY_DELAY);
  await chat.asks('Il tuo nome', 2);
  await expect(chat.bubbles).toHaveCount(4);
  expect(turns).toBe(1);
});

test('a minor is sent away and nothing is kept, here or there', async ({ page, api, server }) => {
  const chat = await Chat.open(page);
  await chat.say('Ho 17 anni');
  await expect(chat.pin).toContainText('La chat termina qui.');
  await expect(chat.pin).toContainText(/114 Emergenza Infanzia .* 19696/);
  await expect(chat.box).toBeHidden();
  await expect(
    page.getByText('Conversazione terminata. In questo browser non resta nulla di ciò che hai scritto.'),
  ).toBeFocused();
  await expect(page.getByRole('button', { name: 'Nuova segnalazione' })).toHaveCount(0);
  await expect.poll(() => chat.traces()).toEqual(NO_TRACES);
  expect((await api.list()).counters.total).toBe(0);
  expect(server.log).not.toContain('17');
});

test('forbidden words stop neither report state, in whatever spelling', async ({ page, api }) => {
  const chat = await Chat.open(page);
  for (const text of [giulia.eta, giulia.nome, giulia.cognome, giulia.telefono, giulia.email]) {
    await chat.answer(text);
  }
  await chat.answer(giulia.indirizzo);

  for (const word of ['avvocato', 'AVVOCATI', 'Carabinieri', 'maresciallo-carabiniere']) {
    const account = `${giulia.segnalazione} Ne ho parlato con: ${word}.`;
    await chat.answer(account);
    await expect(chat.refusal.last()).toHaveText(/^Togli la parola «[a-z]+»/i);
    await chat.asks('La tua segnalazione', 7);
    await expect(chat.box).toHaveValue(account);
  }
  await chat.answer(giulia.segnalazione);
  await expect(chat.review).toBeVisible();
  await chat.answer('Ho già chiamato i carabinieri.');
  await expect(chat.refusal.last()).toHaveText(/^Togli la parola «carabinieri»/);
  await expect(chat.review).toBeVisible();
  await chat.finish('niente');
  expect((await api.detailOf(giulia)).segnalazione).toBe(giulia.segnalazione);
});

test('the end takes the place of the box, and of what was said nothing stays in the browser', async ({
  page,
  api,
}) => {
  const chat = await Chat.open(page);
  await chat.tell(giulia);
  await chat.finish('Ho anche le bolle di consegna.');
  await expect(chat.box).toBeHidden();
  await expect(chat.closing).toBeFocused();
  await chat.lastBubble(/la tua segnalazione è arrivata/);
  const left = JSON.stringify(await chat.traces());
  for (const said of [giulia.nome, giulia.email, giulia.telefono, giulia.segnalazione]) {
    expect(left).not.toContain(said);
  }
  await page.reload();
  await chat.lastBubble(/la tua segnalazione è arrivata/);

  const report = await api.detailOf(giulia);
  expect(report).toMatchObject({
    nome: 'Giulia',
    cognome: 'Ferraro',
    telefono: '3331234567',
    email: giulia.email,
    indirizzo: giulia.indirizzo,
    eta: 34,
    stato: 'Nuova',
    segnalazione: `${giulia.segnalazione}\n\nINFORMAZIONI AGGIUNTIVE\nHo anche le bolle di consegna.`,
  });

  await page.reload();
  await chat.alive();
  await chat.begin.click();
  await expect(chat.bubbles).toHaveCount(1);
  await chat.asks('La tua età', 1);
  await expect(page.getByText(CLOSED)).toBeHidden();
});

test('a reload resumes the conversation, an answer on its way included', async ({ page, api }) => {
  const chat = await Chat.open(page);
  await chat.answer(giulia.eta);
  await chat.answer(giulia.nome);
  await chat.box.fill('Ferr');
  const said = await chat.bubbles.allTextContents();
  await page.reload();
  await chat.alive();
  await chat.asks('Il tuo cognome', 3);
  await expect(chat.box).toHaveValue('Ferr');
  await expect(chat.bubbles).toHaveText(said);

  await chat.box.fill(giulia.cognome);
  await chat.box.press('Enter');
  await page.reload();
  await chat.alive();
  await page.clock.fastForward(REPLY_DELAY);
  await chat.asks('Il tuo cellulare', 4);

  for (const text of [giulia.telefono, giulia.email, giulia.indirizzo, giulia.segnalazione]) {
    await chat.answer(text);
  }
  await chat.finish();
  expect(await api.detailOf(giulia)).toMatchObject({ nome: giulia.nome, cognome: giulia.cognome });
});

test('another tab starts its own conversation', async ({ page, context }) => {
  const first = await Chat.open(page);
  await first.answer(giulia.eta);
  const second = await Chat.open(await context.newPage());
  await second.asks('La tua età', 1);
  await expect(second.bubbles).toHaveCount(1);
});

test('who begins before the script arrives is told to wait, and begins when it does', async ({ page }) => {
  await page.clock.install();
  const script = await holdNext(page, /\/assets\/public-[^/]*\.js$/);
  await page.goto('/paibeta/', { waitUntil: 'commit' });
  const chat = new Chat(page);
  await chat.begin.click();
  await expect(page.getByText('Un momento, la chat si apre…')).toBeInViewport({ ratio: 1 });
  await expect(chat.badge).not.toHaveText(/Online|Demo|Offline/);
  script.release();
  await chat.asks('La tua età', 1);
  await expect(chat.box).toBeFocused();
});

test('without JavaScript the page asks the age itself', async ({ browser, server }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${server.origin}/paibeta/`);
  await expect(
    page.getByRole('heading', { name: 'Racconta alla redazione che cosa sta succedendo.' }),
  ).toBeVisible();
  await expect(page.getByRole('link', { name: '112' })).toBeInViewport({ ratio: 1 });
  // Searching by role passes over what stands in `noscript`.
  await page.locator('noscript input[name=text]').fill('34');
  await page.locator('noscript button').click();
  await expect(page.getByLabel('Il tuo nome')).toBeVisible();
  await context.close();
});
