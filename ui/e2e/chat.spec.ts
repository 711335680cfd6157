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
