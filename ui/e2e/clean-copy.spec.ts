/** A clean copy of a report: covered by mouse, keys and fingers, saved, and searched once it has left. */
import { readFile } from 'node:fs/promises';
import { inflateSync } from 'node:zlib';
import type { Locator, Page } from '@playwright/test';
import { entriesOf, unpack } from '../src/admin/report/reading/zip';
import { readPdf } from '../src/admin/testing/read-pdf';
import type { Mask } from '../src/shared/api/schema';
import { expect, test } from './fixtures';
import type { Api } from './support/api';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Chat } from './support/chat';
import { giulia, type Person } from './support/people';
import { png } from './support/picture';

const ACCOUNT =
  'Mi chiamo Giulia Ferraro e lavoro in mensa. Mia sorella Ludovica Canarini ha visto il furgone targato CA 123 RY davanti a scuola, in via Bixio 4. Chiamatemi al 333 1234567.';

const telling = (segnalazione: string): Person => ({ ...giulia, segnalazione });

const words = (page: Page) => page.getByRole('listbox', { name: /^Parole del racconto/ });
const word = (page: Page, name: string) => words(page).getByRole('option', { name, exact: true });
const save = (page: Page) => page.getByRole('button', { name: 'Salva', exact: true });

async function open(page: Page, id: string): Promise<void> {
  await page.goto(`/paibeta/admin/reports/${id}/copia`);
  await expect(words(page)).toBeVisible();
}

async function saved(page: Page): Promise<void> {
  await save(page).click();
  await expect(page.getByText('Salvato', { exact: true })).toBeVisible();
}

async function leave(page: Page, name: string): Promise<{ name: string; bytes: Uint8Array }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: true }).click(),
  ]);
  return { name: download.suggestedFilename(), bytes: new Uint8Array(await readFile(await download.path())) };
}

/** Which of these a PDF holds: in its text or title, in its bytes, or in what its streams hold once inflated. */
async function foundIn(bytes: Uint8Array, secrets: readonly string[]): Promise<string[]> {
  const raw = Buffer.from(bytes);
  const streams = [...raw.toString('latin1').matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)];
  const inflated = streams.map(([, body = '']) => {
    try {
      return inflateSync(Buffer.from(body, 'latin1'));
    } catch {
      return Buffer.from(body, 'latin1');
    }
  });
  const { pages, title } = await readPdf(bytes);
  const parts = [raw, ...inflated].flatMap((part) => [
    part.toString('latin1'),
    part.toString('utf8'),
    part.toString('utf16le'),
    Buffer.from(part)
      .subarray(0, part.length & ~1)
      .swap16()
      .toString('utf16le'),
  ]);
  const said = `${title} ${pages.flat().join(' ')}`;
  // Coordinates and the numbers of letters hold any short number by chance.
  const named = secrets.filter((one) => /\p{L}/u.test(one));
  return [...new Set([...found(said, secrets), ...found(parts.join('\n'), named)])];
}

async function saidByZip(bytes: Uint8Array): Promise<string> {
  const blob = new Blob([new Uint8Array(bytes)]);
  const parts = [Buffer.from(bytes).toString('latin1')];
  for (const entry of await entriesOf(blob)) {
    const content = Buffer.from(await (await unpack(blob, entry, 50_000_000)).arrayBuffer());
    parts.push(entry.name, content.toString('utf8'), content.toString('latin1'));
  }
  return parts.join('\n');
}

const SECRETS = ['Giulia', 'Ferraro', 'Ludovica', 'Canarini', '123 RY', '1234567', 'via Bixio', 'Garibaldi'];
const found = (said: string, secrets: readonly string[]) => secrets.filter((one) => said.includes(one));

test.beforeEach(async ({ context, logIn }) => {
  await logIn(context);
});

test.describe('at a desk', () => {
  test.use({ viewport: { width: 1366, height: 650 } });

  test('by mouse: covered, saved, come back to, and searched as it leaves', async ({
    page,
    api,
    panel,
    watch,
  }) => {
    const id = await api.tell(telling(ACCOUNT));
    await panel.openReport(id);
    const menu = page.getByRole('button', { name: 'Altro', exact: true });
    await menu.click();
    await page.getByRole('link', { name: 'Prepara una copia oscurata' }).click();
    await expect(panel.heading('Copia oscurata')).toBeFocused();
    await audit(page, 'a clean copy, begun');
    await page.getByRole('button', { name: 'Prendi tutte' }).click();
    await word(page, 'mensa').click();
    await expect(word(page, 'mensa')).toHaveAttribute('aria-selected', 'true');
    // A part that is selected, to the letter.
    const box = await word(page, 'davanti').boundingBox();
    const end = await word(page, 'scuola').boundingBox();
    if (!box || !end) {
      throw new Error('the words are not on the page');
    }
    await page.mouse.move(box.x + 1, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(end.x + end.width - 1, end.y + end.height / 2, { steps: 8 });
    await page.mouse.up();
    await expect(word(page, 'scuola')).toHaveAttribute('aria-selected', 'true');
    await page.getByRole('switch', { name: 'Mostra sotto' }).check();
    await audit(page, 'a clean copy, with what is beneath');
    // Another page asks first.
    await page.getByRole('link', { name: 'Torna alla segnalazione' }).click();
    await page.getByRole('button', { name: 'Resta qui' }).click();
    await saved(page);
    await page.reload();
    await expect(word(page, 'mensa')).toHaveAttribute('aria-selected', 'true');
    await page.getByRole('switch', { name: 'Anteprima' }).check();
    const preview = page.getByText(/^Mi chiamo █████ e lavoro in █████\./);
    await expect(preview).toBeVisible();
    expect(
      found((await page.getByRole('region', { name: 'Ciò che esce' }).textContent()) ?? '', SECRETS),
    ).toEqual([]);
    await audit(page, 'a clean copy, as it leaves');
    const pdf = await leave(page, 'PDF');
    expect(pdf.name).toBe('copia-oscurata.pdf');
    expect(await foundIn(pdf.bytes, [...SECRETS, id, 'davanti', 'e lavoro in'])).toEqual(['e lavoro in']);
    const zip = await leave(page, 'ZIP');
    expect(zip.name).toBe('copia-oscurata.zip');
    expect(found(await saidByZip(zip.bytes), [...SECRETS, id])).toEqual([]);
    // Another person covers less meanwhile: what leaves is never less than what the page shows.
    const seen = (await (await api.fetch('GET', `/reports/${id}/mask`)).json()) as Mask;
    const bare = { fields: [], spans: [], textVersion: seen.textVersion };
    await api.fetch('PUT', `/reports/${id}/mask`, bare, { 'if-match': `"${seen.version}"` });
    watch.expect(/status of 412/);
    for (const name of ['PDF', 'ZIP', 'Copia il testo']) {
      await page.getByRole('button', { name, exact: true }).click();
      await expect(
        page.getByRole('region', { name: 'Un’altra persona ha salvato prima di te' }),
      ).toBeVisible();
    }
    await page.getByRole('button', { name: 'Tieni le mie' }).click();
    await expect(page.getByText('Salvato', { exact: true })).toBeVisible();
    // The control: the search finds what nobody covered.
    await page.getByRole('button', { name: /^Lascia «Ludovica/ }).click();
    await saved(page);
    expect(await foundIn((await leave(page, 'PDF')).bytes, SECRETS)).toEqual(['Ludovica', 'Canarini']);
    expect(found(await saidByZip((await leave(page, 'ZIP')).bytes), SECRETS)).toEqual([
      'Ludovica',
      'Canarini',
    ]);
    const { storia } = await api.detail(id);
    expect(storia.filter(({ tipo }) => tipo === 'esportata')).toHaveLength(4);
  });

  test('by keys alone: words, a stretch, and out as a text', async ({ page, context, api }) => {
    const id = await api.tell(telling(ACCOUNT));
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page, id);
    await words(page).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Space');
    await expect(word(page, 'Giulia')).toHaveAttribute('aria-selected', 'true');
    await expect(word(page, 'Ferraro')).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await expect(word(page, '1234567')).toHaveAttribute('aria-selected', 'true');
    await audit(page, 'a clean copy, by keys');
    await page.keyboard.press('Space');
    await page.keyboard.press('z');
    await page.keyboard.press('Control+Enter');
    await expect(page.getByText('Salvato', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Copia il testo' }).press('Enter');
    await expect(page.getByText('Testo copiato.')).toBeVisible();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(text).toContain('Mi chiamo █████ e lavoro in mensa.');
    expect(found(text, ['Giulia', 'Ferraro', '1234567'])).toEqual([]);
  });

  test('a reader sees none of it', async ({ page, api, server, context }) => {
    const id = await api.tell(giulia);
    const reader = { name: 'Rita Riva', user: 'rita.riva', role: 'lettore' as const, departments: [] };
    const { cookie } = await api.welcome(reader, 'quattro gatti in collina');
    await context.addCookies([{ ...cookie, url: server.origin, httpOnly: true, sameSite: 'Strict' }]);
    await page.goto(`/paibeta/admin/reports/${id}`);
    await expect(page.getByRole('region', { name: 'Fatti' })).toBeVisible();
    await expect(page.getByText('copia oscurata')).toHaveCount(0);
    await page.goto(`/paibeta/admin/reports/${id}/copia`);
    await expect(page.getByText(/la prepara chi può modificare/)).toBeVisible();
  });

  test('a file that cannot be cleaned is named at its tick', async ({ page, context, api, watch }) => {
    watch.expect(/422 .*redacted\.zip/);
    const chat = await Chat.open(await context.newPage());
    await chat.tell(giulia);
    const input = chat.page.getByLabel('Allega file');
    const broken = Buffer.from('ffd8ffe000104a46494600', 'hex');
    for (const [name, mimeType, buffer] of [
      ['Giulia Ferraro.png', 'image/png', png(64, 64, [128, 128, 128])],
      ['rotta.jpg', 'image/jpeg', broken],
    ] as const) {
      await input.setInputFiles({ name, mimeType, buffer });
      await expect(chat.page.getByRole('button', { name: `Togli ${name}` })).toBeVisible();
    }
    await expect(chat.page.getByText(/^Allegato, /)).toHaveCount(2);
    await chat.finish();
    const { id } = await api.detailOf(giulia);
    await open(page, id);
    await saved(page);
    await page.getByRole('checkbox', { name: /Giulia Ferraro\.png/ }).check();
    await page.getByRole('checkbox', { name: /rotta\.jpg/ }).check();
    await page.getByRole('button', { name: 'ZIP', exact: true }).click();
    await expect(page.getByText(/^File 2: La foto è incompleta/).first()).toBeVisible();
    await audit(page, 'a file that cannot leave');
    await page.getByRole('checkbox', { name: /rotta\.jpg/ }).uncheck();
    const said = await saidByZip((await leave(page, 'ZIP')).bytes);
    expect(said).toContain('allegati/01.png');
    expect(found(said, ['Ferraro'])).toEqual([]);
  });
});

for (const width of [320, 390]) {
  test.describe(`by finger, ${width} px wide`, () => {
    test.use({ viewport: { width, height: width === 320 ? 568 : 844 }, hasTouch: true, isMobile: true });

    test('a tap covers a word, a finger that goes sideways covers more, one that goes down scrolls', async ({
      page,
      api,
    }) => {
      const id = await api.tell(telling(ACCOUNT));
      await open(page, id);
      await expectNoSidewaysScroll(page, 'a clean copy');
      await word(page, 'Giulia').tap();
      await expect(word(page, 'Giulia')).toHaveAttribute('aria-selected', 'true');
      await select(word(page, 'Ferraro'));
      await page.getByRole('button', { name: 'Copri la selezione' }).tap();
      await expect(word(page, 'Ferraro')).toHaveAttribute('aria-selected', 'true');
      await drag(page, word(page, 'Mi'), word(page, 'chiamo'));
      await expect(word(page, 'chiamo')).toHaveAttribute('aria-selected', 'true');
      await expect(word(page, 'Mi')).toHaveAttribute('aria-selected', 'true');
      await audit(page, 'a clean copy, on a phone');
      await saved(page);
      await page.reload();
      await expect(word(page, 'Ferraro')).toHaveAttribute('aria-selected', 'true');
    });
  });
}

/** Draws a finger over words, as a touch screen does. */
async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  const [first, last] = [await from.boundingBox(), await to.boundingBox()];
  if (!first || !last) {
    throw new Error('the words are not on the page');
  }
  const client = await page.context().newCDPSession(page);
  const middle = (box: { x: number; y: number; width: number; height: number }) => ({
    x: box.x + box.width / 2,
    y: box.y + box.height / 2,
  });
  const [start, end] = [middle(first), middle(last)];
  await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [start] });
  for (const share of [0.2, 0.5, 0.8, 1]) {
    const point = { x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share };
    await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] });
  }
  await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

/** Selects a word, as the handles of a phone do. */
const select = (one: Locator) => one.evaluate((element) => window.getSelection()?.selectAllChildren(element));

/** Saves a mask that takes every proposal, by the calls alone. */
async function cover(api: Api, id: string): Promise<void> {
  const path = `/reports/${id}/mask`;
  const { fields, proposals, textVersion } = (await (await api.fetch('GET', path)).json()) as {
    fields: string[];
    proposals: { start: number; end: number }[];
    textVersion: string;
  };
  const spans = proposals.map(({ start, end }) => ({ start, end }));
  const answer = await api.fetch('PUT', path, { fields, spans, textVersion }, { 'if-match': '"0"' });
  expect(answer.status).toBe(200);
}

const canary = (number: number): { person: Person; secrets: string[] } => {
  const letters = [...`${number}`].map((digit) => String.fromCharCode(97 + Number(digit))).join('');
  const person = {
    ...giulia,
    nome: `Zaccaria${letters}`,
    cognome: `Canarino${letters}`,
    telefono: `333 ${1_000_000 + number}`,
    email: `canarino${letters}@esempio.example`,
    indirizzo: `Via dei Canarini ${number}, Lecco`,
  };
  const segnalazione = `Mi chiamo Zaccaria${letters} e mia moglie Ludovica${letters} lo sa. Il furgone targato CA ${100 + number} RY stava in via Nascosta ${number}, il mio numero è 0341 55${1000 + number}, scrivetemi a posta${letters}@esempio.example.`;
  const secrets = [
    person.nome,
    person.cognome,
    `${1_000_000 + number}`,
    'canarino',
    'Canarini',
    'Ludovica',
    `${100 + number} RY`,
    'Nascosta',
    `55${1000 + number}`,
    `posta${letters}@`,
  ];
  return { person: { ...person, segnalazione }, secrets };
};

for (const [count, tag] of [
  [3, []],
  [200, ['@soak']],
] as const) {
  test(`of ${count} reports nothing that is covered is in a byte of the PDF`, { tag: [...tag] }, async ({
    page,
    api,
  }) => {
    test.setTimeout(60_000 + count * 5_000);
    const all = Array.from({ length: count }, (_, index) => canary(index + 1));
    await api.saveSecurity({ maxReportsPerDay: 1_000_000 });
    const leaks: string[] = [];
    for (const { person, secrets } of all) {
      const id = await api.tell(person);
      await cover(api, id);
      await open(page, id);
      const { bytes, name } = await leave(page, 'PDF');
      leaks.push(...found(name, secrets), ...(await foundIn(bytes, secrets)));
    }
    expect(leaks).toEqual([]);
  });
}
