/** Help for a person in danger: never scrolled past, never covered, until it has been read. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import type { Api } from './support/api';
import { audit } from './support/audit';
import { Chat } from './support/chat';
import { answersOf, giulia } from './support/people';
import {
  expectInSight,
  expectNoTaller,
  inEveryWindow,
  named,
  tagsOf,
  tryToScroll,
  WINDOWS,
} from './support/windows';

const GRAVE =
  'Da tre notti il mio ex mi aspetta sotto casa, ho paura a tornare e ho deciso che stanotte la faccio finita, non ce la faccio più.';
/** Long enough that nobody overlooks it. */
const A_WHILE = 5000;

const helpIn = (chat: Chat) => ({
  emergency: chat.pin.getByRole('listitem').getByRole('link', { name: '112' }),
  friend: chat.pin.getByRole('listitem').getByRole('link', { name: '02 2327 2327' }),
  violence: chat.pin.getByRole('listitem').getByRole('link', { name: '1522' }),
});

async function tellGrave(page: Page): Promise<Chat> {
  const chat = await Chat.open(page);
  for (const text of answersOf({ ...giulia, segnalazione: GRAVE })) {
    await chat.say(text);
    await expect(chat.box.or(chat.pin).first()).toBeVisible();
    await expect(page.getByTestId('typing')).toBeHidden();
  }
  return chat;
}

async function makeHelpLong(api: Api): Promise<string> {
  const phrases = await (await api.fetch('GET', '/prompts')).json();
  const help = `${phrases.care.help} ${'Non sei sola: parlarne è già un passo. '.repeat(38)}`
    .slice(0, 1990)
    .trim();
  const answer = await api.fetch('PUT', '/prompts', { ...phrases, care: { ...phrases.care, help } });
  expect(answer.ok).toBe(true);
  return help;
}

for (const size of WINDOWS) {
  test(`at ${named(size)} help stays in sight until it has been read`, { tag: tagsOf(size) }, async ({
    page,
  }) => {
    await page.setViewportSize(size);
    const chat = await tellGrave(page);
    const read = page.getByRole('button', { name: 'Ho letto' });
    const help = { ...helpIn(chat), read };
    await expectInSight(help);
    await expect(chat.pin.getByRole('paragraph')).toHaveText(
      /^Una cosa che ci sta a cuore: .*gratuito a tutte le ore\.$/,
    );
    await expect(page.locator('[data-main]:visible')).toHaveCount(0);
    await expectNoTaller(page);

    await page.clock.runFor(A_WHILE);
    await tryToScroll(page);
    await expectInSight(help);
    await expectNoTaller(page);

    await page.reload();
    await chat.alive();
    await page.clock.runFor(A_WHILE);
    await tryToScroll(page);
    await expectInSight(help);
    await expectNoTaller(page);

    await read.click();
    await expect(chat.pin).toBeHidden();
    await expectNoTaller(page);
  });
}

test('a help text longer than the window scrolls, its numbers do not, in every window', async ({
  page,
  api,
}) => {
  await page.setViewportSize(WINDOWS[0]);
  const whole = await makeHelpLong(api);
  const chat = await tellGrave(page);
  const read = page.getByRole('button', { name: 'Ho letto' });
  const text = chat.pin.getByText(/^Una cosa che ci sta a cuore/);
  await expect(text).toHaveText(whole);
  const region = text.locator('..');
  const left = () =>
    region.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
  await inEveryWindow(page, async () => {
    await expectInSight({ ...helpIn(chat), read });
    // To its last word, with the keys.
    await expect(async () => {
      await region.press('End');
      expect(await left()).toBeLessThan(2);
    }).toPass();
    await expectInSight({ ...helpIn(chat), read });
    await expectNoTaller(page);
    await page.keyboard.press('Home');
  });
});

test('a minor is left with the numbers, in every window', async ({ page }) => {
  await page.setViewportSize(WINDOWS[0]);
  const chat = await Chat.open(page);
  await chat.say('15');
  const numbers = Object.fromEntries(
    ['114', '19696', '112'].map((name) => [
      name,
      chat.pin.getByRole('listitem').getByRole('link', { name, exact: true }),
    ]),
  );
  await inEveryWindow(page, async () => {
    await expectInSight(numbers);
    await expect(chat.pin).toContainText('La chat termina qui.');
    await page.clock.runFor(A_WHILE);
    await tryToScroll(page);
    await expectInSight(numbers);
    await expectNoTaller(page);
    await expect(page.getByRole('button', { name: 'Ho letto' })).toBeHidden();
    await expect(chat.box).toBeHidden();
    await expect(page.locator('[data-main]:visible')).toHaveCount(0);
  });
});

test('help gives way to the next answer, and passes axe', async ({ page }) => {
  const chat = await Chat.open(page);
  for (const text of answersOf(giulia).slice(0, 6)) {
    await chat.answer(text);
  }
  await chat.say('Voglio morire.');
  await expect(chat.pin).toBeVisible();
  await audit(page, 'help that must be read');
  // Whoever says this is not told how many letters are missing.
  await expect(chat.refusal).toHaveCount(1);
  await expect(chat.box).toHaveValue('Voglio morire.');
  await chat.say(giulia.segnalazione);
  await expect(chat.pin).toBeHidden();
  await expect(chat.review).toBeVisible();
});
