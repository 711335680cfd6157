/** What the newsroom asks back, and the consents that it asks for, as the reporter meets them: with and without a script. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import type { Api } from './support/api';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { giulia } from './support/people';

const WHO = 'Chi altro era in turno quella notte?';
const CALL = 'Possiamo chiamarti dopo le 14?';
const NIGHTS = 'Quante notti sei rimasta sola a novembre?';
const THREE = [
  { kind: 'text', text: WHO },
  { kind: 'yes_no', text: CALL },
  {
    kind: 'choice',
    text: NIGHTS,
    options: [
      { key: 'a', text: 'Meno di cinque' },
      { key: 'b', text: 'Da cinque a dieci' },
    ],
  },
];
const HOW_MANY = 'Quante persone lavorano nel reparto?';
const SINCE = 'Quando è cominciato?';
const SEEN = 'Che cosa hai visto?';
const SIX = [
  ...THREE,
  { kind: 'number', text: HOW_MANY, max: 500 },
  { kind: 'date', text: SINCE, help: 'Anche solo il mese.' },
  {
    kind: 'choices',
    text: SEEN,
    options: [
      { key: 'a', text: 'Etichette cambiate' },
      { key: 'b', text: 'Precipitevolissimevolmentescaduti e altro' },
    ],
  },
];
/** So long until the page looks again. */
const LOOK = 16_000;

async function write(api: Api, id: string, call: string, body: object): Promise<void> {
  const answer = await api.fetch('POST', `/reports/${id}/${call}`, body);
  expect(answer.status).toBe(200);
}

async function asked(api: Api, questions: object[]): Promise<{ id: string; code: string }> {
  const told = await api.tellForCode(giulia);
  await write(api, told.id, 'messages', { text: 'Grazie. Tre cose ci servono:', questions });
  return told;
}

/** The answers as the newsroom reads them. */
async function read(api: Api, id: string): Promise<Record<string, string>> {
  const thread = (await (await api.fetch('GET', `/reports/${id}/messages`)).json()) as {
    data: { answers: { data: { question: string; text: string }[] } | null }[];
  };
  const answers = thread.data[0]?.answers?.data ?? [];
  return Object.fromEntries(answers.map(({ question, text }) => [question, text]));
}

async function enter(page: Page, code: string): Promise<void> {
  await page.goto('/paibeta/seguito');
  await page.getByLabel('Il tuo codice').fill(code);
  await page.getByRole('button', { name: 'Apri' }).click();
}

async function sound(page: Page, state: string): Promise<void> {
  // What is half under the head as it stands is no smaller for that.
  await page.evaluate(() => window.scrollTo(0, 0));
  await audit(page, state);
  await expectNoSidewaysScroll(page, state);
}

const send = (page: Page) => page.getByRole('button', { name: 'Invia le risposte' });

for (const javaScriptEnabled of [true, false]) {
  test(`three answers take ten taps on a phone, ${javaScriptEnabled ? 'with' : 'without'} a script`, async ({
    api,
    browser,
    server,
  }) => {
    const { id, code } = await asked(api, THREE);
    const context = await browser.newContext({
      javaScriptEnabled,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      baseURL: server.origin,
    });
    const page = await context.newPage();
    let taps = 0;
    const tap = async (one: ReturnType<Page['locator']>) => {
      taps += 1;
      await one.tap();
    };
    await page.goto('/paibeta/seguito');
    await tap(page.getByLabel('Il tuo codice'));
    await page.getByLabel('Il tuo codice').fill(code);
    await tap(page.getByRole('button', { name: 'Apri' }));
    await tap(page.getByLabel(WHO));
    await page.getByLabel(WHO).fill('Solo io, fino alle sei');
    await tap(page.getByLabel('Sì', { exact: true }));
    await tap(page.getByLabel('Da cinque a dieci'));
    await tap(send(page));
    await expect(page.getByText(/^Inviate .*Si cambiano finché la redazione non le legge\.$/)).toBeVisible();
    expect(taps).toBeLessThanOrEqual(10);
    expect(await read(api, id)).toEqual({
      [WHO]: 'Solo io, fino alle sei',
      [CALL]: 'Sì',
      [NIGHTS]: 'Da cinque a dieci',
    });
    await context.close();
  });
}

test.describe('at 320 px', () => {
  test.use({ viewport: { width: 320, height: 568 } });

  test('answers are written as people know them, changed, and closed once they are read', async ({
    page,
    api,
    watch,
  }) => {
    watch.expect(/status of 422/);
    const { id, code } = await asked(api, SIX);
    await page.clock.install();
    await enter(page, code);
    await expect(page.getByRole('group', { name: `${CALL} 2 di 6` })).toBeVisible();
    await expect(page.getByLabel(SINCE)).toHaveAccessibleDescription(/Anche solo il mese/);
    await sound(page, 'six questions');
    await page.getByLabel(WHO).fill('boh 🤷, forse اثنان');
    await page.getByLabel(HOW_MANY).fill('2001');
    await page.getByLabel(SINCE).fill('l’anno scorso');
    await page.getByLabel('Etichette cambiate').check();
    await send(page).click();
    const many = page.getByLabel(HOW_MANY);
    await expect(many).toBeFocused();
    await expect(many).toHaveAccessibleDescription('Il numero più grande che vale qui è 500.');
    await expect(page.getByLabel(SINCE)).toHaveValue('l’anno scorso');
    await sound(page, 'a refused number');
    await many.fill('una decina');
    await send(page).click();
    const line = page.getByText(/^Inviate alle/);
    await expect(line).toBeFocused();
    await sound(page, 'answered');

    await page.getByRole('button', { name: `Rispondi (${NIGHTS})` }).click();
    await expect(page.getByLabel('Meno di cinque')).toBeFocused();
    await expect(many).toHaveValue('una decina');
    await page.getByLabel('Meno di cinque').check();
    await page.getByRole('button', { name: /^Lascia vuoto/ }).click();
    await expect(page.getByLabel('Meno di cinque')).not.toBeChecked();
    await page.getByLabel('Da cinque a dieci').check();
    await sound(page, 'changing');
    await send(page).click();
    await expect(line).toBeFocused();
    const answers = {
      [WHO]: 'boh 🤷, forse اثنان',
      [NIGHTS]: 'Da cinque a dieci',
      [HOW_MANY]: 'una decina',
      [SINCE]: 'l’anno scorso',
      [SEEN]: 'Etichette cambiate',
    };

    // The newsroom reads them while they are changed once more: what was typed goes into a message.
    await page.getByRole('button', { name: `Cambia (${WHO})` }).click();
    await page.getByLabel(WHO).fill('C’era anche il guardiano');
    await api.detail(id);
    expect(await read(api, id)).toEqual(answers);
    await page.clock.fastForward(LOOK);
    await sound(page, 'read meanwhile');
    await page.getByRole('button', { name: 'Metti nel messaggio' }).click();
    await expect(page.getByLabel('Scrivi alla redazione')).toHaveValue(/guardiano\n\nQuante notti/);
    await expect(page.getByText(/La redazione le ha lette: per aggiungere/)).toBeVisible();
    await expect(page.getByRole('button', { name: /^(Cambia|Rispondi)/ })).toHaveCount(0);
    await sound(page, 'closed');
    expect(await read(api, id)).toEqual(answers);
  });

  test('by the keyboard alone, nothing is sent before its time', async ({ page, api }) => {
    const { id, code } = await asked(api, SIX);
    await enter(page, code);
    await page.getByLabel(WHO).focus();
    await page.keyboard.type('Io');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    await expect(page.getByLabel('No', { exact: true })).toBeChecked();
    await page.getByLabel(HOW_MANY).focus();
    await page.keyboard.type('12');
    await page.keyboard.press('Enter');
    await expect(send(page)).toBeVisible();
    await page.getByLabel('Etichette cambiate').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expect(send(page)).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByText(/^Inviate/)).toBeFocused();
    expect(await read(api, id)).toEqual({
      [WHO]: 'Io',
      [CALL]: 'No',
      [HOW_MANY]: '12',
      [SEEN]: 'Etichette cambiate',
    });
  });

  test('a consent is given, taken back and given again, and found later', async ({ page, api }) => {
    const { id, code } = await api.tellForCode(giulia);
    await write(api, id, 'consents', {
      kind: 'voce',
      text: 'Possiamo far sentire la tua voce il 12 dicembre?',
    });
    await enter(page, code);
    const box = page.getByRole('group', { name: 'Far sentire la tua voce' });
    await expect(box).toContainText('Puoi ritirarlo da qui in ogni momento');
    await sound(page, 'a consent is asked for');
    await box.getByRole('button', { name: /^Sì, acconsento/ }).click();
    await expect(box.getByText(/^Hai detto sì il /)).toBeVisible();
    const found = page.getByRole('region', { name: 'Le tue autorizzazioni' });
    await expect(found.getByText(/^Hai detto sì il /)).toBeVisible();
    await sound(page, 'given');
    await found.getByRole('button', { name: /^Ritira il consenso/ }).click();
    await expect(box.getByText(/^Hai ritirato il consenso il /)).toBeVisible();
    await box.getByRole('button', { name: /^Sì, acconsento/ }).click();
    await expect(found.getByText(/^Hai detto sì il /)).toBeVisible();
    await found.getByRole('link', { name: 'Far sentire la tua voce' }).click();
    await expect(page.getByText('Possiamo far sentire la tua voce il 12 dicembre?')).toBeInViewport();
  });

  test('without a script: refused, answered, changed, closed, and a consent', async ({
    browser,
    server,
    api,
    page: copy,
  }) => {
    const { id, code } = await asked(api, SIX);
    await write(api, id, 'consents', { kind: 'nome', text: 'Possiamo dire il tuo nome?' });
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 320, height: 568 },
      baseURL: server.origin,
    });
    const page = await context.newPage();
    // What looks at a page is a script itself: it looks at a copy, where it may run.
    const looked = async (state: string) => {
      await copy.setContent(await page.content());
      await sound(copy, state);
    };
    await enter(page, code);
    await looked('six questions without a script');
    await page.getByLabel(HOW_MANY).fill('2001');
    await page.getByLabel(SINCE).fill('l’anno scorso');
    await page.getByLabel('Meno di cinque').check();
    await send(page).click();
    await expect(page.getByLabel(HOW_MANY)).toHaveAccessibleDescription(
      'Il numero più grande che vale qui è 500.',
    );
    await expect(page.getByRole('alert').getByRole('link', { name: HOW_MANY })).toBeInViewport();
    await expect(page.getByLabel(SINCE)).toHaveValue('l’anno scorso');
    await expect(page.getByLabel('Meno di cinque')).toBeChecked();
    await looked('a refused number without a script');
    await page.getByLabel(HOW_MANY).fill('una decina');
    await send(page).click();
    await expect(page.getByText(/Si cambiano finché la redazione non le legge/)).toBeInViewport();
    await looked('answered without a script');
    await page.getByText('Cambia le risposte').click();
    await page.getByLabel('Preferisco saltarla').check();
    await page.getByLabel(WHO).fill('Solo io');
    await send(page).click();
    await expect(page.getByText('Solo io').first()).toBeVisible();
    await page.getByRole('button', { name: 'Sì, acconsento' }).click();
    await expect(page.getByText(/^Hai detto sì il .*\.$/)).toBeVisible();
    await page.getByRole('button', { name: 'Ritira il consenso' }).click();
    await expect(page.getByText(/^Hai ritirato il consenso il .*\.$/)).toBeVisible();
    await api.detail(id);
    expect(await read(api, id)).toEqual({
      [WHO]: 'Solo io',
      [HOW_MANY]: 'una decina',
      [SINCE]: 'l’anno scorso',
    });
    await page.reload();
    await expect(page.getByText(/La redazione le ha lette/)).toBeVisible();
    await expect(send(page)).toHaveCount(0);
    await looked('closed without a script');
    await context.close();
  });
});
