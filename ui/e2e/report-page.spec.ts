/** One report on one page: what stands in the window when it is opened, and the few keys that its work takes. */
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Chat } from './support/chat';
import { Panel } from './support/panel';
import { giulia, matteo, type Person } from './support/people';
import { png } from './support/picture';

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** Its wording is read as a threat. */
const grave: Person = {
  ...giulia,
  segnalazione:
    'Il mio ex compagno mi ha detto che mi ammazza e che stanotte viene sotto casa con la pistola: ho paura per me e per i bambini, aiutatemi.',
};

const anna = { name: 'Anna Bianchi', user: 'anna.bianchi', role: 'redattore' as const, departments: [] };
const laura = { ...anna, name: 'Laura Bassi', user: 'laura.bassi' };

const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? Number.NaN;
const account = (page: Page) => page.getByRole('region', { name: 'Testo della Segnalazione' });
const bar = (page: Page) => page.getByRole('region', { name: 'Stato e reparto' });
const inward = (page: Page) => page.getByRole('textbox', { name: 'Aggiungi un commento' });
const outward = (page: Page) => page.getByRole('textbox', { name: 'Scrivi a chi ha segnalato' });

for (const [where, viewport, limit] of [
  ['a desk', DESK, 170],
  ['a phone', PHONE, 240],
] as const) {
  test.describe(`on ${where}`, () => {
    test.use({ viewport });

    test('the account of an urgent report stands in the first window', async ({ page, api, panel }) => {
      const id = await api.tell(grave);
      await api.change(id, { urgente: true });
      await panel.openReport(id);
      await expect(panel.name).toHaveText('Giulia Ferraro');
      await expect(panel.name).toBeInViewport({ ratio: 1 });
      await expect(page.getByRole('link', { name: giulia.telefono.replaceAll(' ', '') })).toBeInViewport();
      await expect(page.locator('summary').filter({ hasText: 'Urgente' })).toBeInViewport({ ratio: 1 });
      const text = account(page).getByText(grave.segnalazione.slice(0, 30));
      await expect(text).toBeInViewport({ ratio: 1 });
      expect(await topOf(text)).toBeLessThanOrEqual(limit);
      await expectNoSidewaysScroll(page, 'an urgent report');
      await audit(page, 'an urgent report');
      await page.locator('summary').filter({ hasText: 'Urgente' }).click();
      await expect(page.getByText(/Il programma non ha avvisato nessuno/)).toBeInViewport();
      await audit(page, 'an urgent report, and why');
    });
  });
}

test.describe('at a desk', () => {
  test.use({ viewport: DESK });

  test('the bar is one line, whatever is in it, and each of it has its key', async ({
    page,
    api,
    server,
    context,
    panel,
  }) => {
    const id = await api.tell(giulia);
    await api.tell({ ...giulia, nome: 'G.' });
    const { id: annas, cookie } = await api.welcome(
      { ...anna, name: 'Anna Maria Bianchi-Dell’Acquasparta' },
      'quattro gatti in collina',
    );
    await context.addCookies([{ ...cookie, url: server.origin, httpOnly: true, sameSite: 'Strict' }]);
    const label = async (name: string) =>
      ((await (await api.fetch('POST', '/labels', { name, color: 'rosso' })).json()) as { id: number }).id;
    const labels = [await label('Villa Serenella e dintorni'), await label('Seconda')];
    await api.change(id, { labels, stato: 'In lavorazione', assegnataA: annas, department: 'criminalita' });
    await panel.openReport(id);
    await expect(bar(page).getByRole('button', { name: 'della stessa persona' })).toBeVisible();
    expect((await bar(page).boundingBox())?.height).toBe(44);
    const controls = bar(page).getByRole('combobox').or(bar(page).getByRole('button'));
    const boxes = await controls.evaluateAll((all) =>
      all.map((one) => {
        const { top, bottom, left, right } = one.getBoundingClientRect();
        return { top, bottom, left, right };
      }),
    );
    expect(boxes.length).toBeGreaterThanOrEqual(7);
    const frame = await bar(page).boundingBox();
    for (const [at, box] of boxes.entries()) {
      expect(box.top).toBeGreaterThanOrEqual(frame?.y ?? 0);
      expect(box.bottom).toBeLessThanOrEqual((frame?.y ?? 0) + 44);
      expect(box.right).toBeLessThanOrEqual((frame?.x ?? 0) + (frame?.width ?? 0));
      expect(box.left, 'beside, not below').toBeGreaterThanOrEqual(boxes[at - 1]?.right ?? 0);
    }
    for (const name of ['Stato', 'Reparto', 'Assegnata a']) {
      await expect(bar(page).getByLabel(name, { exact: true })).toHaveAttribute('aria-keyshortcuts', /./);
    }
    await audit(page, 'a full bar');
  });

  test('a reporter is answered by two keys and the text, in the colour of what goes out', async ({
    page,
    api,
    panel,
  }) => {
    const id = await api.tell(giulia);
    await panel.openReport(id);
    await expect(inward(page)).toBeInViewport({ ratio: 1 });
    const ground = (box: Locator) =>
      box.evaluate((element) => {
        const area = element.closest('[data-way] > div');
        return area && getComputedStyle(area).backgroundColor;
      });
    const ours = await ground(inward(page));
    await page.keyboard.press('w');
    await expect(outward(page)).toBeFocused();
    await expect(outward(page)).toBeInViewport({ ratio: 1 });
    expect(await ground(outward(page))).not.toBe(ours);
    await audit(page, 'the box turned outward');
    await page.keyboard.insertText('Quando è successo?');
    await page.keyboard.press('Control+Enter');
    const last = panel.card('Cronologia').getByRole('listitem').last();
    await expect(last).toContainText('Quando è successo?');
    await expect(last).toContainText('a chi ha segnalato');
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await expect(inward(page)).toBeFocused();
    await expect(inward(page)).toHaveValue('');
  });

  test('a report is handed over with a comment by three keys and the text', async ({
    page,
    api,
    server,
    context,
    panel,
  }) => {
    const id = await api.tell(giulia);
    const { cookie } = await api.welcome(anna, 'quattro gatti in collina');
    const { id: lauras } = await api.welcome(laura, 'quattro galli in collina');
    await context.addCookies([{ ...cookie, url: server.origin, httpOnly: true, sameSite: 'Strict' }]);
    await panel.openReport(id);
    await expect(bar(page).getByLabel('Assegnata a')).toBeVisible();
    await page.keyboard.press('a');
    await expect(page.getByRole('status').filter({ hasText: 'Assegna a Laura Bassi' })).toBeVisible();
    await page.keyboard.press('2');
    await expect(inward(page)).toBeFocused();
    await page.keyboard.insertText('@lau');
    await expect(page.getByRole('listbox', { name: 'Proposte' }).getByText('Laura Bassi')).toBeInViewport();
    await audit(page, 'a colleague is named');
    await page.keyboard.press('Enter');
    await expect(inward(page)).toHaveValue('@Laura Bassi ');
    await page.keyboard.insertText('chiami tu?');
    await page.keyboard.press('Control+Enter');
    await expect(panel.card('Cronologia')).toContainText('@Laura Bassi chiami tu?');
    await expect(panel.card('Cronologia')).toContainText('Assegnata a Laura Bassi');
    expect(await api.detail(id)).toMatchObject({ assegnataA: lauras });
  });

  test('urgent, labels and the list have their keys', async ({ page, api, panel }) => {
    const id = await api.tell(giulia);
    await panel.openReport(id);
    await page.keyboard.press('u');
    await expect(bar(page).getByRole('button', { name: 'Urgente' })).toHaveAttribute('aria-pressed', 'true');
    await page.keyboard.press('l');
    await expect(page.getByRole('dialog', { name: 'Etichette della segnalazione' })).toBeVisible();
    await page.keyboard.press('Escape');
    await page.keyboard.press('t');
    await expect(panel.heading('Segnalazioni')).toBeVisible();
  });

  test('it is put off by two keys, and leaves the list until then', async ({ page, api, panel }) => {
    const id = await api.tell(giulia);
    await panel.openReport(id);
    await page.keyboard.press('h');
    const dialog = page.getByRole('dialog', { name: 'Rinvia' });
    await expect(dialog).toBeVisible();
    await audit(page, 'until when it is put off');
    await expectNoSidewaysScroll(page, 'until when it is put off');
    await dialog.getByLabel('Perché (facoltativo)').fill('Sentire la preside');
    await dialog.getByRole('button', { name: 'Domani mattina' }).click();
    await expect(page.getByText(/^Rinviata al .*: Sentire la preside$/)).toBeInViewport();
    expect((await api.list()).data).toEqual([]);
    await page.keyboard.press('h');
    await dialog.getByRole('button', { name: 'Rimettila nell’elenco' }).click();
    await expect(page.getByText(/^Rinviata al/)).toHaveCount(0);
    expect((await api.list()).data).toHaveLength(1);
  });

  test('who else has it open, and writes, is named within seconds; so is who saved first', async ({
    page,
    api,
    server,
    context,
    visit,
    watch,
    panel,
  }) => {
    const id = await api.tell(giulia);
    const { cookie } = await api.welcome(anna, 'quattro gatti in collina');
    const theirs = await api.welcome(laura, 'quattro galli in collina');
    const of = { url: server.origin, httpOnly: true, sameSite: 'Strict' as const };
    await context.addCookies([{ ...cookie, ...of }]);
    const other = await visit({ locale: 'it-IT' });
    await other.context().addCookies([{ ...theirs.cookie, ...of }]);
    await panel.openReport(id);
    const desk = new Panel(other);
    await desk.openReport(id);
    await expect(page.getByText('Laura Bassi legge')).toBeInViewport();
    await desk.note.fill('Sentita.');
    await expect(page.getByText('Laura Bassi scrive…')).toBeInViewport();
    await audit(page, 'somebody else writes');
    await panel.note.fill('Da sentire.');
    await desk.save.click();
    await desk.saved();
    await expect(page.getByText(/ha appena modificato queste note/)).toBeVisible();
    watch.expect(/status of 412/);
    await panel.save.click();
    await expect(panel.conflict).toContainText('Laura Bassi ha salvato prima di te');
  });

  test('pictures stand small below the account, and open large with the others beside them', async ({
    page,
    api,
    visit,
    panel,
  }) => {
    const chat = await Chat.open(await visit({ locale: 'it-IT' }));
    await chat.tell(giulia);
    for (const [name, color] of [
      ['piazza.png', [128, 20, 20]],
      ['strada.png', [20, 128, 20]],
      ['cortile.png', [20, 20, 128]],
      ['cantiere.png', [128, 128, 20]],
    ] as const) {
      const buffer = png(400, 200, [...color]);
      await chat.page.getByLabel('Allega file').setInputFiles({ name, mimeType: 'image/png', buffer });
    }
    await expect(chat.page.getByText(/^Allegato, /)).toHaveCount(4);
    await chat.finish();
    const { id } = await api.detailOf(giulia);
    await panel.openReport(id);
    const small = page.getByRole('button', { name: 'Apri piazza.png' });
    await expect(small).toBeInViewport({ ratio: 1 });
    const picture = small.locator('img');
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(400);
    expect(await picture.boundingBox()).toMatchObject({ width: 96, height: 96 });
    await small.click();
    const large = page.getByRole('dialog').getByRole('img');
    await expect(large).toBeInViewport({ ratio: 1 });
    await audit(page, 'a picture, large');
    await page.getByRole('button', { name: 'Ruota' }).click();
    await page.getByRole('button', { name: 'Ingrandisci' }).click();
    await expect.poll(async () => (await large.boundingBox())?.height).toBeGreaterThan(600);
    await expectNoSidewaysScrollOfPage(page);
    await page.keyboard.press('ArrowRight');
    await expect(page.getByRole('dialog', { name: 'strada.png' })).toBeVisible();
    await expect(large).toBeInViewport({ ratio: 1 });
    await page.keyboard.press('Escape');
    await expect(small).toBeFocused();
    await page.setViewportSize({ width: 320, height: 568 });
    await expectNoSidewaysScrollOfPage(page);
  });
});

/** The picture scrolls in its frame, the page does not. */
async function expectNoSidewaysScrollOfPage(page: Page): Promise<void> {
  const over = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  // Asked again: a page that was made narrower puts its panes one below the other a moment later.
  await expect.poll(over).toBeLessThanOrEqual(0);
}

test.describe('on a phone', () => {
  test.use({ viewport: PHONE, hasTouch: true });

  test('what is done stands under the thumb, a finger turns the page', async ({ page, api, panel }) => {
    await api.tell(giulia);
    await api.tell(matteo);
    await panel.openList();
    await panel.open(matteo);
    for (const name of ['Commenta', 'Scrivi', 'Altro']) {
      const button = bar(page).getByRole('button', { name, exact: true });
      await expect(button).toBeInViewport({ ratio: 1 });
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(48);
    }
    await bar(page).getByRole('button', { name: 'Altro', exact: true }).click();
    await expect(bar(page).getByLabel('Reparto', { exact: true })).toBeInViewport({ ratio: 1 });
    await expect(bar(page).getByRole('button', { name: 'Stampa PDF' })).toBeInViewport({ ratio: 1 });
    await audit(page, 'what else can be done, on a phone');
    await page.keyboard.press('Escape');
    await bar(page).getByRole('button', { name: 'Scrivi', exact: true }).click();
    await expect(outward(page)).toBeFocused();
    await expect(outward(page)).toBeInViewport({ ratio: 1 });
    await outward(page).blur();
    await page.evaluate(() => window.scrollTo(0, 0));
    await swipe(account(page), -200);
    await expect(panel.name).toHaveText('Giulia Ferraro');
    await swipe(account(page), 200);
    await expect(panel.name).toHaveText('Matteo D’Angelo');
  });
});

/** Draws a finger sideways. */
async function swipe(over: Locator, by: number): Promise<void> {
  await over.evaluate((element, to) => {
    const touch = (x: number) => new Touch({ identifier: 1, target: element, clientX: x, clientY: 300 });
    const send = (type: string, x: number, held: boolean) =>
      element.dispatchEvent(
        new TouchEvent(type, {
          bubbles: true,
          touches: held ? [touch(x)] : [],
          changedTouches: [touch(x)],
        }),
      );
    send('touchstart', 200, true);
    send('touchend', 200 + to, false);
  }, by);
}

test('without colours the chosen one is still told from the other', async ({ page, api, panel }) => {
  const id = await api.tell(giulia);
  await page.emulateMedia({ forcedColors: 'active' });
  await panel.openReport(id);
  const outline = (whom: string) =>
    page
      .locator('label')
      .filter({ hasText: whom })
      .evaluate((label) => getComputedStyle(label).outlineStyle);
  expect(await outline('Alla redazione')).toBe('solid');
  expect(await outline('A chi ha segnalato')).toBe('none');
  await audit(page, 'forced colours');
});

test('on paper stand name, account and what happened, nothing to press', async ({ page, api, panel }) => {
  const id = await api.tell(giulia);
  await panel.openReport(id);
  await page.emulateMedia({ media: 'print' });
  await expect(panel.name).toBeVisible();
  await expect(account(page)).toBeVisible();
  await expect(panel.card('Cronologia')).toBeVisible();
  await expect(bar(page)).toBeHidden();
  await expect(page.getByRole('complementary')).toBeHidden();
  await expect(inward(page)).toBeHidden();
  await expect(page.locator('html')).toHaveCSS('color-scheme', 'light');
});

test('on paper what has to be known stands whole, on a phone it is whole once unfolded', async ({
  page,
  api,
  panel,
}) => {
  const id = await api.tell(grave);
  await page.setViewportSize(PHONE);
  await panel.openReport(id);
  const title = page.getByText(/^Urgente: /);
  const text = page.getByText(/^È un indizio ricavato dalle parole del racconto/);
  await expect(text).toBeHidden();
  await page.emulateMedia({ media: 'print' });
  await expect(text).toBeInViewport();
  await expect(page.getByText('Perché', { exact: true })).toBeHidden();
  await page.emulateMedia({ media: 'screen' });
  await title.click();
  await expect(text).toBeInViewport();
  await audit(page, 'what has to be known, unfolded');
});
