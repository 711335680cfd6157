/** Fields that fit their questions: refusals below them, buttons for what is asked back, no dead end, few presses. */
import { devices, type Locator } from '@playwright/test';
import { expect, test } from './fixtures';
import { Chat } from './support/chat';
import { answersOf, giulia } from './support/people';
import { expectInSight, expectNoTaller, inEveryWindow, named, tagsOf, WINDOWS } from './support/windows';

for (const size of WINDOWS) {
  test(`at ${named(size)} a refusal stands below its field, and nowhere else`, { tag: tagsOf(size) }, async ({
    page,
  }) => {
    await page.setViewportSize(size);
    const chat = await Chat.open(page);
    for (const text of answersOf(giulia).slice(0, 3)) {
      await chat.answer(text);
    }
    const before = await chat.bubbles.count();
    await chat.answer('333 123 45');
    await expect(chat.refusal).toHaveText([
      'Numero non valido. Inserisci 10 cifre che iniziano con 3 (es: 3123456789).',
      'Mancano 2 cifre: un cellulare ne ha dieci, per esempio 333 123 4567.',
    ]);
    await expect(chat.bubbles).toHaveCount(before);
    await expect(page.getByText('333 123 45', { exact: true })).toHaveCount(0);
    await expect(chat.box).toHaveValue('333 123 45');
    await expect(chat.box).toHaveAttribute('type', 'tel');
    await expectInSight({
      refusal: chat.refusal.first(),
      reason: chat.refusal.last(),
      box: chat.box,
      send: chat.send,
      label: page.getByText('Il tuo cellulare', { exact: true }),
      question: chat.bubbles.last().getByRole('paragraph').last(),
    });
    // What is typed next takes its place.
    const selected = () => page.evaluate(() => window.getSelection()?.toString());
    await expect.poll(selected).toBe('333 123 45');
    await chat.answer('non ce l’ho');
    await expect(chat.refusal).toHaveCount(3);
    await expectInSight({ offer: chat.refusal.last(), box: chat.box });
    await expectNoTaller(page);
    await chat.answer(giulia.telefono);
    await expect(chat.refusal).toHaveCount(0);
    await chat.asks('La tua email', 5);
  });
}

for (const size of WINDOWS) {
  test(`at ${named(size)} what an account lacks is read above the button, until it is there`, {
    tag: tagsOf(size),
  }, async ({ page }) => {
    await page.setViewportSize(size);
    const chat = await Chat.open(page);
    for (const text of answersOf(giulia).slice(0, 6)) {
      await chat.answer(text);
    }
    // As many lines as the field grows to.
    await chat.answer(`Non so${'\n'.repeat(20)}come dirlo.`);
    await expect(chat.refusal).toHaveText([/Servono almeno 70 caratteri e 10 parole\.$/, /^Mancano/]);
    await expectInSight({ refusal: chat.refusal.first(), reason: chat.refusal.last(), send: chat.send });
    const covered = () =>
      chat.refusal.evaluateAll((lines) =>
        lines
          .filter((line) => {
            const { x, top, bottom } = line.getBoundingClientRect();
            return [top + 1, bottom - 1].some((y) => document.elementFromPoint(x + 1, y) !== line);
          })
          .map(({ textContent }) => textContent),
      );
    await expect.poll(covered).toEqual([]);
    await chat.box.fill(giulia.segnalazione);
    await expect(chat.refusal).toHaveCount(0);
  });
}

test('the account has its field and its button in sight, in every window', async ({ page }) => {
  const chat = await Chat.open(page);
  for (const text of answersOf(giulia).slice(0, 6)) {
    await chat.answer(text);
  }
  await inEveryWindow(page, async () => {
    await chat.box.fill(Array(14).fill(giulia.segnalazione).join('\n\n'));
    await expectInSight({ box: chat.box, send: chat.send });
    await expectNoTaller(page);
    await expect(page.locator('[data-main]:visible')).toHaveCount(1);
  });
});

test.describe('on a phone', () => {
  const { defaultBrowserType: _, ...phone } = devices['Pixel 7'];
  test.use(phone);

  test('a whole report takes at most 11 taps, and 8 keys beside what is told', async ({ page, api }) => {
    await page.clock.install();
    await page.goto('/paibeta/');
    const chat = new Chat(page);
    await chat.alive();
    let [taps, keys] = [0, 0];
    const tap = async (what: Locator) => {
      taps += 1;
      await what.tap();
    };
    await tap(chat.begin);
    for (const text of answersOf(giulia)) {
      // Nothing is tapped to write: the field has the focus.
      await expect(chat.box).toBeEditable();
      await expect(chat.box).toBeFocused();
      await page.keyboard.insertText(text);
      if ((await chat.box.getAttribute('enterkeyhint')) === 'enter') {
        await tap(chat.send);
      } else {
        keys += 1;
        await page.keyboard.press('Enter');
      }
      await page.clock.fastForward(1000);
      await expect(page.getByTestId('typing')).toBeHidden();
    }
    const send = page.getByRole('button', { name: 'Invia la segnalazione' });
    await expect(send.or(chat.send).first()).toBeVisible();
    if (await send.isVisible()) {
      await tap(send);
    } else {
      keys += 2;
      await page.keyboard.insertText('no');
      await tap(chat.send);
    }
    await page.clock.fastForward(1000);
    await expect(chat.closing).toBeVisible();
    expect((await api.list()).counters.total).toBe(1);
    expect(taps).toBeLessThanOrEqual(11);
    expect(keys).toBeLessThanOrEqual(8);
    // Each press of a key is a tap there.
    expect(taps + keys).toBeLessThanOrEqual(11);
  });
});
