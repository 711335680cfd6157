/** One report on one page: what stands in the window when it is opened, and the few keys that its work takes. */
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Chat } from './support/chat';
import { Panel } from './support/panel';
import { giulia, matteo, type Person } from './support/people';
import { png } from './support/picture';

const DESK = { width: 1366, height: 650 };
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
const head = (page: Page) =>
  page.getByRole('article').getByRole('banner').or(page.locator('article > header'));
const acts = (page: Page) => page.getByRole('region', { name: 'Azioni' });
const stream = (page: Page) => page.getByRole('region', { name: 'Conversazione' });
const inward = (page: Page) => page.getByRole('textbox', { name: 'Aggiungi un commento' });
const outward = (page: Page) => page.getByRole('textbox', { name: 'Scrivi a chi ha segnalato' });

for (const [where, viewport, limit] of [
  ['a desk', DESK, 150],
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
      await expect(page.locator('summary').filter({ hasText: 'Forse' })).toBeInViewport({ ratio: 1 });
      const text = account(page).getByText(grave.segnalazione.slice(0, 30));
      await expect(text).toBeInViewport({ ratio: 1 });
      expect(await topOf(text)).toBeLessThanOrEqual(limit);
      await expectNoSidewaysScroll(page, 'an urgent report');
      await audit(page, 'an urgent report');
      await page.locator('summary').filter({ hasText: 'Forse' }).click();
      await expect(page.getByText(/Il programma non ha avvisato nessuno/)).toBeInViewport();
      await audit(page, 'an urgent report, and why');
    });
  });
}

test.describe('at a desk', () => {
  test.use({ viewport: DESK });

  test('the head is two lines, whatever is in it, and nothing of it is cut without its whole', async ({
    page,
    api,
    server,
    context,
    panel,
  }) => {
    const id = await api.tell({
      ...giulia,
      cognome: 'Ferraro della Rovere dell’Acquasparta',
      email: 'giulia.ferraro.della.rovere.dell.acquasparta@posta-elettronica-lunghissima.example',
      indirizzo: 'Via dei Mille 4, 00185 San Giovanni Rotondo Marittimo sul Serio',
    });
    const { cookie } = await api.welcome(anna, 'quattro gatti in collina');
    await context.addCookies([{ ...cookie, url: server.origin, httpOnly: true, sameSite: 'Strict' }]);
    await api.change(id, { stato: 'In lavorazione', department: 'criminalita' });
    for (const width of [1280, 1366, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      await panel.openReport(id);
      expect((await head(page).boundingBox())?.height).toBeLessThanOrEqual(66);
      const cut = await head(page).evaluate((element) =>
        [...element.querySelectorAll('*')]
          .filter(
            (one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflow !== 'visible',
          )
          .filter((one) => one.clientWidth > 1)
          .map((one) => [getComputedStyle(one).textOverflow, one.getAttribute('title') !== null])
          .filter(([ellipsis, title]) => ellipsis !== 'ellipsis' || !title),
      );
      expect(cut).toEqual([]);
      await expect(panel.stato).toHaveAttribute('aria-keyshortcuts', /./);
      await expect(acts(page).getByRole('button', { name: 'Fatto' })).toBeInViewport({ ratio: 1 });
    }
    await audit(page, 'a full head');
  });

  for (const [what, lines] of [
    ['a short account', 3],
    ['a long account', 40],
  ] as const) {
    test(`a new message is in sight beside ${what}, with a mark where it begins`, async ({
      page,
      api,
      panel,
    }) => {
      const sentence = 'La signora del letto 14 è rimasta legata dalle nove di sera alle sei e mezza. ';
      const { id, code } = await api.tellForCode({ ...giulia, segnalazione: sentence.repeat(lines).trim() });
      await api.change(id, { stato: 'In lavorazione' });
      await api.fetch('POST', `/reports/${id}/comments`, { text: 'Chi la chiama?', key: 'a'.repeat(20) });
      await api.fetch('POST', `/reports/${id}/messages`, {
        text: 'A che ora?',
        key: 'b'.repeat(20),
        closesWithdrawal: false,
      });
      await api.writeBack(code, 'Dopo le due del pomeriggio.');
      await panel.openReport(id);
      await expect(stream(page).getByText('Dopo le due del pomeriggio.')).toBeInViewport({ ratio: 1 });
      await expect(stream(page).getByText('Nuovo', { exact: true })).toBeInViewport({ ratio: 1 });
      const text = account(page).locator('p').first();
      expect(await topOf(text)).toBeLessThanOrEqual(150);
      const { height, line } = await text.evaluate((element) => ({
        height: element.clientHeight,
        line: Number.parseFloat(getComputedStyle(element).lineHeight),
      }));
      const seen = Math.round(height / line);
      const whole = await text.evaluate((element) => element.scrollHeight <= element.clientHeight + 1);
      expect(whole || seen >= 12).toBe(true);
      await audit(page, `a new message beside ${what}`);
      await page.getByRole('button', { name: /già letti/ }).click();
      await expect(stream(page).getByText('Chi la chiama?')).toBeVisible();
      await expect(stream(page).getByText('Nuovo', { exact: true })).toHaveCount(1);
      // Reading it answers nothing.
      await page.reload();
      await expect(stream(page).getByText('Dopo le due del pomeriggio.')).toBeInViewport({ ratio: 1 });
    });
  }

  test('done by its key: it leaves what is to do for everybody, and comes back by z', async ({
    page,
    api,
    panel,
  }) => {
    const id = await api.tell(giulia);
    await panel.openReport(id);
    const waiting = async () => (await api.list('?todo=true')).data.length;
    expect(await waiting()).toBe(1);
    await page.keyboard.press('e');
    await expect(page.getByText('Fatto: Giulia Ferraro')).toBeVisible();
    expect(await waiting()).toBe(0);
    await page.keyboard.press('z');
    await expect.poll(waiting).toBe(1);
  });

  test('a reporter is answered by two keys and the text, in the colour of what goes out', async ({
    page,
    api,
    panel,
  }) => {
    const id = await api.tell(giulia);
    await panel.openReport(id);
    const ground = (box: Locator) =>
      box.evaluate((element) => {
        const area = element.closest('[data-way]');
        return area && getComputedStyle(area).backgroundColor;
      });
    // Closed it is one line without a filled button, and says who reads it.
    await expect(outward(page)).toBeInViewport({ ratio: 1 });
    await expect(outward(page)).toHaveAttribute('placeholder', 'Scrivi: lo legge con il suo codice');
    await expect(page.getByRole('button', { name: 'Invia a Giulia' })).toBeHidden();
    await page.keyboard.press('c');
    await expect(page.getByText(/^Lo legge chi vede /)).toBeInViewport();
    const ours = await ground(inward(page));
    await page.keyboard.press('Escape');
    await page.keyboard.press('w');
    await expect(outward(page)).toBeFocused();
    await expect(outward(page)).toBeInViewport({ ratio: 1 });
    expect(await ground(outward(page))).not.toBe(ours);
    await audit(page, 'the box turned outward');
    await page.keyboard.insertText('Quando è successo?');
    await page.keyboard.press('Control+Enter');
    const last = stream(page).getByRole('listitem').last();
    await expect(last).toContainText('Quando è successo?');
    await expect(last).toContainText('a Giulia');
    await expect(last).toBeInViewport({ ratio: 1 });
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await expect(inward(page)).toBeFocused();
    await expect(inward(page)).toHaveValue('');
  });

  test('a report is handed over with a comment by four keys and the text', async ({
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
    await expect(panel.facts.getByLabel('Chi segue')).toBeVisible();
    await page.keyboard.press('a');
    await expect(page.getByRole('status').filter({ hasText: 'Assegna a Laura Bassi' })).toBeVisible();
    await page.keyboard.press('2');
    await page.keyboard.press('c');
    await expect(inward(page)).toBeFocused();
    await page.keyboard.insertText('@an');
    await expect(page.getByRole('listbox', { name: 'Proposte' })).toHaveCount(0);
    await inward(page).fill('');
    await page.keyboard.insertText('@lau');
    await expect(page.getByRole('listbox', { name: 'Proposte' }).getByText('Laura Bassi')).toBeInViewport();
    await audit(page, 'a colleague is named');
    await page.keyboard.press('Enter');
    await expect(inward(page)).toHaveValue('@Laura Bassi ');
    await page.keyboard.insertText('chiami tu?');
    await page.keyboard.press('Control+Enter');
    await expect(stream(page).getByText('@Laura Bassi chiami tu?')).toBeInViewport({ ratio: 1 });
    await expect(stream(page)).toContainText('Assegnata a Laura Bassi');
    expect(await api.detail(id)).toMatchObject({ assegnataA: lauras });
  });

  test('urgent, labels and the list have their keys', async ({ page, api, panel }) => {
    const id = await api.tell(giulia);
    await panel.openReport(id);
    await page.keyboard.press('u');
    await expect(page.getByText('Urgente per la redazione')).toBeInViewport({ ratio: 1 });
    await page.getByRole('button', { name: 'Non è urgente' }).click();
    await expect(page.getByText('Urgente per la redazione')).toHaveCount(0);
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
    const pictures = [
      ['piazza.png', [128, 20, 20]],
      ['strada.png', [20, 128, 20]],
      ['cortile.png', [20, 20, 128]],
      ['cantiere.png', [128, 128, 20]],
    ] as const;
    for (const [at, [name, color]] of pictures.entries()) {
      const buffer = png(400, 200, [...color]);
      await chat.page.getByLabel('Allega file').setInputFiles({ name, mimeType: 'image/png', buffer });
      // Files are numbered as they come, and two at once come in any order.
      await expect(chat.page.getByText(/^Allegato, /)).toHaveCount(at + 1);
    }
    await chat.finish();
    const { id } = await api.detailOf(giulia);
    await panel.openReport(id);
    const small = page.getByRole('button', { name: 'Apri piazza.png' });
    await expect(small).toBeInViewport({ ratio: 1 });
    const picture = small.locator('img');
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(400);
    expect(await picture.boundingBox()).toMatchObject({ width: 64, height: 48 });
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
    for (const name of ['Fatto', 'Altro']) {
      const button = acts(page).getByRole('button', { name, exact: true });
      await expect(button).toBeInViewport({ ratio: 1 });
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(48);
    }
    await acts(page).getByRole('button', { name: 'Altro', exact: true }).click();
    await expect(panel.stato).toBeInViewport({ ratio: 1 });
    await expect(acts(page).getByRole('button', { name: 'Stampa PDF' })).toBeInViewport({ ratio: 1 });
    await audit(page, 'what else can be done, on a phone');
    await page.keyboard.press('Escape');
    await panel.openFacts();
    await expect(panel.department).toBeVisible();
    await audit(page, 'the facts, on a phone');
    await page.getByText('A Matteo', { exact: true }).click();
    await outward(page).click();
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
  expect(await outline('A Giulia')).toBe('solid');
  expect(await outline('Alla redazione')).toBe('none');
  await audit(page, 'forced colours');
});

test('a report with everything is read and reached at 200 % and without colours', async ({
  page,
  api,
  visit,
  panel,
}) => {
  const chat = await Chat.open(await visit({ locale: 'it-IT' }));
  await chat.tell(giulia);
  const buffer = png(400, 200, [128, 20, 20]);
  await chat.page
    .getByLabel('Allega file')
    .setInputFiles({ name: 'piazza.png', mimeType: 'image/png', buffer });
  await expect(chat.page.getByText(/^Allegato, /)).toHaveCount(1);
  await chat.finish();
  const { id } = await api.detailOf(giulia);
  await api.change(id, { urgente: true, note: 'Da richiamare dopo le tre.' });
  await api.fetch('POST', '/stories', { title: 'Sotto casa', reports: [id, await api.tell(matteo)] });
  await api.fetch('POST', `/reports/${id}/messages`, { text: 'Sta bene? La chiamiamo adesso.' });
  await api.fetch('POST', `/reports/${id}/comments`, { text: 'Sentita la questura.', key: 'a'.repeat(20) });
  for (const [width, height, forcedColors] of [
    [640, 400, 'none'],
    [1280, 800, 'active'],
    [320, 568, 'active'],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ forcedColors });
    await panel.openReport(id);
    const state = `everything at ${width}, colours forced: ${forcedColors}`;
    for (const text of ['Sentita la questura.', 'Sta bene? La chiamiamo adesso.']) {
      await stream(page).getByText(text).scrollIntoViewIfNeeded();
      await expect(stream(page).getByText(text)).toBeInViewport();
    }
    await expect(page.getByRole('button', { name: 'Apri piazza.png' })).toBeVisible();
    await expectNoSidewaysScroll(page, state);
    await audit(page, state);
  }
});

test('on paper stand name, account and what was said, nothing to press', async ({ page, api, panel }) => {
  const id = await api.tell(giulia);
  await api.fetch('POST', `/reports/${id}/comments`, { text: 'Sentita la preside.', key: 'a'.repeat(20) });
  await panel.openReport(id);
  await page.emulateMedia({ media: 'print' });
  await expect(panel.name).toBeVisible();
  await expect(account(page)).toBeVisible();
  await expect(stream(page)).toContainText('Sentita la preside.');
  await expect(panel.note).toBeVisible();
  await expect(acts(page)).toBeHidden();
  await expect(page.getByRole('navigation')).toBeHidden();
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
  const title = page.getByText(/^Forse: /);
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
