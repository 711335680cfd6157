/** The page of a callout: its questions in sight and by keyboard, its own memory, and what it says when it is over. */
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { beds } from './support/callouts';
import { Chat } from './support/chat';
import { giulia, somebody } from './support/people';
import { png } from './support/picture';
import { expectInSight, expectNoTaller, named, tagsOf, WINDOWS } from './support/windows';

const PATH = `/paibeta/i/${beds.slug}`;

for (const size of WINDOWS) {
  test(`at ${named(size)} each question has its answers in sight`, { tag: tagsOf(size) }, async ({
    page,
    api,
  }) => {
    await api.openCallout(beds);
    await page.setViewportSize(size);
    await page.clock.install();
    await page.goto(PATH);
    await expect(page).toHaveTitle(/^Avete pagato per un posto letto\?/);
    const chat = new Chat(page);
    await chat.alive();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await expectInSight({
      title: page.getByRole('heading', { name: beds.title }),
      begin: chat.begin,
      danger: page.getByRole('link', { name: '112' }),
    });
    await expect(page.getByText('Che cosa chiediamo')).toBeHidden();
    await expectNoTaller(page);
    await chat.begin.click();
    await chat.answer(giulia.eta);
    const question = chat.bubbles.last().getByRole('paragraph').last();
    await expect(question).toHaveText('Dove è successo?');
    const inSight = async (answers: Record<string, ReturnType<typeof button>>) => {
      await expectInSight(answers);
      await expect(question).toBeInViewport();
      await expectNoTaller(page);
      await expectNoSidewaysScroll(page, 'a question');
    };
    await inSight({ first: button('Milano'), second: button('Roma') });
    await chat.press('Milano');
    await inSight({ tick: page.getByRole('checkbox', { name: 'Un’agenzia' }) });
    await chat.press('Salta');
    await inSight({ box: chat.box, send: chat.send, skip: button('Salta') });
    await chat.press('Salta');
    await inSight({ day: page.getByLabel('La data, anche approssimata'), send: chat.send });
    await chat.press('Salta');
    await inSight({ yes: button('Sì'), no: button('No') });
    await chat.press('Salta');
    await inSight({ box: chat.box, send: chat.send });
  });
}

test('is answered by keyboard alone, and arrives as it was answered', async ({ page, api }) => {
  await api.openCallout(beds);
  await page.setViewportSize({ width: 640, height: 400 });
  const chat = await Chat.open(page, PATH);
  const press = async (...keys: string[]) => {
    for (const key of keys) {
      await page.keyboard.press(key);
    }
  };
  const on = async () => {
    await page.clock.fastForward(1000);
    await expect(page.getByTestId('typing')).toBeHidden();
  };
  await page.keyboard.type(giulia.eta);
  await press('Enter');
  await on();
  await expect(page.getByRole('group', { name: /Dove è successo\?$/ })).toBeFocused();
  await audit(page, 'a choice');
  await press('Tab', 'Tab');
  await expect(page.getByRole('button', { name: 'Roma' })).toBeFocused();
  await press('Enter');
  await on();
  await expect(page.getByRole('group', { name: /Chi ha chiesto i soldi\?$/ })).toBeFocused();
  await press('Tab', 'Space', 'Tab', 'Space', 'Tab', 'Tab', 'Tab');
  await audit(page, 'choices');
  await expect(page.getByRole('button', { name: 'Avanti' })).toBeFocused();
  await press('Enter');
  await on();
  await page.keyboard.type('9000');
  await press('Enter');
  await on();
  await expect(chat.refusal).toHaveText(/5000/);
  await audit(page, 'a number that is refused');
  await press('ControlOrMeta+a');
  await page.keyboard.type('350,50');
  await press('Enter');
  await on();
  await expect(page.getByLabel('La data, anche approssimata')).toBeFocused();
  await page.getByLabel('La data, anche approssimata').fill('12 marzo 2024');
  await audit(page, 'a day');
  await press('Enter');
  await on();
  await press('Tab', 'Enter');
  await on();
  await page.keyboard.type('In contanti, in una busta, alla reception');
  await press('Enter');
  await on();
  await chat.press('Salta');
  await expect(chat.review).toBeVisible();
  await audit(page, 'the review');
  await expectNoSidewaysScroll(page, 'the review');
  await chat.finish();
  const [row] = (await api.list()).data;
  const { email, eta, risposte } = await api.detail(row?.id ?? '');
  expect([eta, email]).toEqual([34, '']);
  expect(risposte.map(({ text }) => text)).toEqual([
    'Roma',
    'Un’agenzia, Il proprietario, o chi per lui',
    '350,5',
    '12/03/2024',
    'Sì',
    'In contanti, in una busta, alla reception',
  ]);
});

test('a corrected answer leads another way, and what it left behind is not sent', async ({ page, api }) => {
  await api.openCallout(beds);
  const chat = await Chat.open(page, PATH);
  await chat.answer(giulia.eta);
  await chat.press('Milano');
  for (const _ of ['chi', 'quanto', 'quando', 'ricevuta']) {
    await chat.press('Salta');
  }
  await page.getByRole('button', { name: /^Correggi.*Dove è successo\?/ }).click();
  await page.clock.fastForward(1000);
  await chat.press('In un’altra città');
  await chat.answer('Con un bonifico');
  await chat.press('Salta');
  await expect(chat.review.getByRole('term')).toHaveText([
    'La tua età',
    'Dove è successo?',
    'Come hai pagato?',
    'La tua email',
  ]);
  await chat.finish();
});

test('an answer that ends it leaves nothing behind', async ({ page, api }) => {
  await api.openCallout(beds);
  const chat = await Chat.open(page, PATH);
  await chat.answer(giulia.eta);
  await page.getByRole('button', { name: 'A me non è successo' }).click();
  await page.clock.fastForward(1000);
  await chat.lastBubble('Grazie lo stesso.');
  await expect(page.getByText(/^Conversazione terminata/)).toBeFocused();
  expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
  expect((await api.list()).counters.total).toBe(0);
});

test('files go with it, also where a siege asks for proof', async ({ page, api, watch }) => {
  watch.expect(/status of 428/);
  await api.openCallout(beds);
  await api.saveSecurity({ maxReportsPerDay: 6 });
  for (const number of [1, 2, 3, 4, 5]) {
    await api.tell({ ...somebody(number), segnalazione: giulia.segnalazione });
  }
  const chat = await Chat.open(page, PATH);
  await chat.answer(giulia.eta);
  await chat.press('In un’altra città');
  await chat.answer('Con un bonifico');
  await chat.answer(giulia.email);
  const input = page.getByLabel('Allega file');
  await input.setInputFiles({
    name: 'ricevuta.png',
    mimeType: 'image/png',
    buffer: png(64, 64, [0, 128, 0]),
  });
  await expect(page.getByText('Allegato, 1 kB', { exact: true })).toBeVisible();
  await chat.finish();
  const { data } = await api.list('?limit=200');
  const own = data.find(({ email }) => email === giulia.email);
  expect((await api.detail(own?.id ?? '')).attachments).toHaveLength(1);
});

test('an address that leads to none says so, and shows the way on', async ({ page, watch }) => {
  watch.expect(/status of 404/);
  const answer = await page.goto('/paibeta/i/altro');
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'Questa inchiesta non c’è' })).toBeVisible();
  await audit(page, 'none');
  await page.getByRole('link', { name: 'Vai alla chat della redazione' }).click();
  await expect(new Chat(page).begin).toBeVisible();
});
