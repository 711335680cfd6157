import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { holdNext } from './support/hold';
import { Panel } from './support/panel';
import { giulia } from './support/people';
import { expectInSight, inEveryWindow, soakUnless } from './support/windows';

const SIZES = [
  [320, 568, 'light'],
  [390, 844, 'dark'],
  [1280, 800, 'light'],
] as const;
/** So long until the page looks again. */
const LOOK = 16_000;

async function sound(page: Page, state: string): Promise<void> {
  await audit(page, state);
  await expectNoSidewaysScroll(page, state);
}

async function enter(page: Page, code: string): Promise<void> {
  await page.clock.install();
  await page.goto('/paibeta/seguito');
  const box = page.getByLabel('Il tuo codice');
  const exit = page.getByRole('link', { name: 'Esci in fretta' });
  await expectInSight({ box, button: page.getByRole('button', { name: 'Apri' }), exit });
  await sound(page, 'the code is asked for');
  await box.fill(code.toLowerCase());
  await box.press('Enter');
}

/** Steps with what they say, the present one marked. */
const steps = (page: Page) =>
  page
    .getByRole('list', { name: 'A che punto è' })
    .getByRole('listitem')
    .evaluateAll((all) =>
      all.map((one) => {
        const at = one.querySelector('time') ? ' ✓' : '';
        return `${one.querySelector('strong')?.textContent}${at}${one.hasAttribute('aria-current') ? ' *' : ''}`;
      }),
    );

for (const [width, height, theme] of SIZES) {
  const tag = soakUnless(width === 320);
  test.describe(`${width}×${height}`, () => {
    test.use({ theme, colorScheme: theme, viewport: { width, height } });

    test('how far it has come, and by when, is the first thing in the window', async ({ page, api }) => {
      const { id, code } = await api.tellForCode(giulia);
      await enter(page, code);
      const heading = page.getByRole('heading', { name: 'È arrivata alla redazione.' });
      await expect(heading).toBeFocused();
      const out = page.getByRole('button', { name: 'Esci', exact: true });
      const quick = page.getByRole('link', { name: 'Esci in fretta' });
      await expectInSight({
        heading,
        end: page.getByText('Conclusa'),
        out,
        quick,
        rest: page.getByText(/30 min$/),
      });
      await expectInSight({
        first: page.getByText(/^Ti leggiamo entro/),
        outcome: page.getByText(/^Ti diremo com’è andata/),
      });
      expect(await steps(page)).toEqual(['Ricevuta ✓ *', 'Letta', 'In lavorazione', 'Conclusa']);
      await sound(page, 'nothing happened yet');

      await api.detail(id);
      await page.clock.fastForward(LOOK);
      await expect(page.getByRole('heading', { name: 'È arrivata, e qualcuno l’ha letta.' })).toBeVisible();
      expect(await steps(page)).toEqual(['Ricevuta ✓', 'Letta ✓ *', 'In lavorazione', 'Conclusa']);
      await api.change(id, { stato: 'Risolta' });
      await page.clock.fastForward(LOOK);
      await expect(page.getByText(/^Abbiamo concluso il lavoro in tempo/)).toBeVisible();
      expect(await steps(page)).toEqual(['Ricevuta ✓', 'Letta ✓', 'In lavorazione', 'Conclusa ✓ *']);
      await sound(page, 'concluded');
      // The ways out stay, wherever one is on the page.
      await page.keyboard.press('End');
      await expectInSight({ out, quick });
      await out.click();
      await expect(page.getByLabel('Il tuo codice')).toBeVisible();
      await expect.poll(() => page.context().cookies()).toEqual([]);
    });

    test('a request to withdraw is answered', { tag }, async ({ page, api, visit, logIn }) => {
      const { id, code } = await api.tellForCode(giulia);
      await enter(page, code);
      await page.getByRole('button', { name: 'Chiedi di ritirare tutto' }).click();
      await page.getByLabel(/^Perché/).fill('Ho paura per il lavoro.');
      await sound(page, 'a reason to withdraw');
      await page.getByRole('button', { name: 'Invia la richiesta' }).click();
      await expect(
        page.getByText(/^Hai chiesto di ritirare tutto il .* la redazione cancella/),
      ).toBeVisible();
      await sound(page, 'asked to withdraw');

      const desk = await visit({ viewport: { width, height } });
      await logIn(desk.context());
      const panel = new Panel(desk);
      await panel.openList();
      await expect(panel.row(giulia)).toContainText('Da ritirare');
      await panel.narrow('da ritirare', /Da ritirare/);
      await expect(desk).toHaveURL(/withdrawal=true/);
      await expect(panel.rows).toHaveCount(1);
      await sound(desk, 'the list, one waits to be withdrawn');
      await panel.openReport(id);
      await desk.getByText('Chi ha segnalato chiede di ritirare tutto, entro').click();
      await expect(desk.getByText('«Ho paura per il lavoro.»')).toBeVisible();
      await expect(desk.getByRole('button', { name: 'Cancella questa segnalazione…' }).first()).toBeVisible();
      await desk.getByRole('button', { name: 'Rispondi perché no' }).click();
      const box = desk.getByRole('textbox', { name: 'Scrivi a chi ha segnalato' });
      await expect(box).toBeFocused();
      await box.fill('La teniamo, senza il tuo nome.');
      await desk.getByLabel('Risponde alla richiesta di ritirare tutto').check();
      await sound(desk, 'the panel, the answer to a request');
      await desk.getByRole('button', { name: 'Rispondi e chiudi la richiesta' }).click();
      await expect(desk.getByText('«Ho paura per il lavoro.»')).toHaveCount(0);

      await page.clock.fastForward(LOOK);
      await expect(page.getByText(/La redazione ti ha risposto il/)).toBeVisible();
      await expect(page.getByText('La teniamo, senza il tuo nome.')).toBeVisible();
      await sound(page, 'answered');
    });
  });
}

test('help after a message stands in the column, in every window', async ({ page, api }) => {
  const { code } = await api.tellForCode(giulia);
  await enter(page, code);
  await page.getByLabel('Scrivi alla redazione').fill('mi ammazzo stasera');
  await page.getByRole('button', { name: 'Invia', exact: true }).click();
  const help = page.getByRole('alert').filter({ has: page.getByRole('list') });
  const width = async (place: Locator) => (await place.boundingBox())?.width ?? 0;
  await inEveryWindow(page, async () => {
    const words = help.getByText(/^Una cosa che ci sta a cuore/);
    await expect(words).toBeVisible();
    expect(await width(words)).toBeGreaterThan((await width(help)) - 40);
    await sound(page, 'help after a message');
  });
});

test('a code that is typed before the script arrives goes on into its box', async ({ page, api }) => {
  const { code } = await api.tellForCode(giulia);
  const script = await holdNext(page, /\/assets\/seguito-[^/]*\.js$/);
  await page.goto('/paibeta/seguito', { waitUntil: 'commit' });
  const early = page.locator('#plain-code');
  // It appears after a while, which nobody waits for here.
  await expect(early).toBeHidden();
  await page.evaluate(() => document.getAnimations().map((animation) => animation.finish()));
  await early.fill(code.slice(0, 8));
  script.release();
  const box = page.getByLabel('Il tuo codice');
  await expect(early).toHaveCount(0);
  await expect(box).toBeFocused();
  await page.keyboard.type(code.slice(8));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'È arrivata alla redazione.' })).toBeInViewport();
  await page.getByRole('button', { name: 'Esci', exact: true }).click();
  await expect(box).toHaveValue('');
});
