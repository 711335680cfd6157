/** The first thing a citizen sees: who reads, whom to call in danger, and where to begin; then the first question. */
import { expect, test } from './fixtures';
import { Chat } from './support/chat';
import { giulia } from './support/people';
import { expectInSight, expectNoTaller, named, tagsOf, tryToScroll, WINDOWS } from './support/windows';

for (const size of WINDOWS) {
  test(`at ${named(size)} the card has what matters in sight, and leads to the first question`, {
    tag: tagsOf(size),
  }, async ({ page }) => {
    await page.setViewportSize(size);
    await page.clock.install();
    await page.goto('/paibeta/');
    const chat = new Chat(page);
    await chat.alive();
    const card = {
      mark: page.getByRole('banner').locator('img'),
      name: page.getByRole('heading', { level: 1, name: 'Le Iene' }),
      what: page.getByText('Chatbot investigativo'),
      exit: page.getByRole('link', { name: 'Esci in fretta' }),
      danger: page.getByRole('link', { name: '112' }),
      begin: chat.begin,
      notice: page.getByRole('button', { name: 'Leggi l’informativa' }),
    };
    await expectInSight(card);
    await expect(card.danger).toHaveAttribute('href', 'tel:112');
    await expectNoTaller(page);
    await tryToScroll(page);
    await expectInSight(card);
    await expectNoTaller(page);

    await chat.begin.click();
    const question = chat.bubbles.last().getByRole('paragraph').last();
    await expect(question).toHaveText(/quanti anni hai\?$/);
    await expect(chat.box).toBeFocused();
    await expectInSight({ question, box: chat.box, send: chat.send, label: page.getByText('La tua età') });
    await tryToScroll(page);
    await expectInSight({ question, box: chat.box, name: card.name, what: card.what });
    await expectNoTaller(page);

    await chat.answer(giulia.eta);
    await page.reload();
    await chat.asks('Il tuo nome', 2);
    await expect(chat.begin).toBeHidden();
    await expectInSight({ question, box: chat.box });
    await tryToScroll(page);
    await expectInSight({ box: chat.box, name: card.name });
    await expectNoTaller(page);
  });
}

test('a strip of a window keeps its heading, the question and the box', async ({ page }) => {
  const chat = await Chat.open(page);
  await page.setViewportSize({ width: 844, height: 180 });
  await expect(page.getByRole('heading', { level: 1, name: 'Le Iene' })).toBeAttached();
  await expectInSight({
    box: chat.box,
    send: chat.send,
    question: chat.bubbles.last().getByRole('paragraph').last(),
  });
  await expectNoTaller(page);
});

test('the privacy notice is one press away, before the first question and after it', async ({
  page,
  api,
}) => {
  await api.saveSystem({ privacyNotice: 'I dati restano qui.', privacyUrl: 'https://esempio.example/dati' });
  await page.goto('/paibeta/');
  const notice = page.getByText('I dati restano qui.');
  await expect(notice).toBeHidden();
  await page.getByRole('button', { name: 'Leggi l’informativa' }).click();
  await expect(notice).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('link', { name: 'Leggi l’informativa completa' })).toHaveAttribute(
    'href',
    'https://esempio.example/dati',
  );
  await page.keyboard.press('Escape');
  await expect(notice).toBeHidden();
  await page.getByRole('button', { name: /^Inizia/ }).click();
  await page.getByRole('button', { name: 'Chi legge?' }).click();
  await page.getByRole('button', { name: 'Leggi l’informativa' }).click();
  await expect(notice).toBeInViewport({ ratio: 1 });
});

test('the card promises what the newsroom offers, before any script too', async ({
  browser,
  server,
  api,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const files = page.getByText('Foto, video e vocali sono benvenuti.');
  const code = page.getByText('Alla fine ricevi un codice per seguire la segnalazione.');
  await page.goto(`${server.origin}/paibeta/`);
  await expect(files).toBeVisible();
  await expect(code).toBeVisible();
  await api.saveSystem({ attachmentsEnabled: false, receiptsEnabled: false, organizationName: 'La Voce' });
  await page.reload();
  await expect(page.getByText('Le giornaliste e i giornalisti di La Voce.')).toBeVisible();
  await expect(files).toBeHidden();
  await expect(code).toBeHidden();
  await context.close();
});
