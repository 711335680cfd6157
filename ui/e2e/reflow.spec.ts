/** Small screens and large letters: everything can be read and reached by scrolling one way only (WCAG 1.4.4, 1.4.10). */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { PASSWORD } from './support/api';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Chat } from './support/chat';
import { Panel } from './support/panel';
import { giulia, type Person } from './support/people';

const WINDOWS = [
  { name: 'a phone of 320 pixels', width: 320, height: 568 },
  { name: '1280 pixels at 200 %', width: 640, height: 400 },
  { name: '1280 pixels at 400 %', width: 320, height: 256 },
];

/** Long words without a place to break are what pushes a page apart. */
const unbreakable: Person = {
  ...giulia,
  nome: 'Massimiliano-Ferdinando',
  cognome: 'Dell’Acquasparta-Montefeltro',
  email: 'massimiliano.ferdinando.dellacquasparta.montefeltro@redazione.giornale.esempio.example',
  segnalazione: `${giulia.segnalazione} https://esempio.example/${'documenti-'.repeat(12)}fine`,
};

/** Is there, and wholly inside the window once scrolled to. */
async function expectWithinReach(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  await button.scrollIntoViewIfNeeded();
  await expect(button).toBeInViewport({ ratio: 1 });
}

test('letters at 200 % on a phone of 320 pixels leave the button in sight, also while an answer is corrected', async ({
  page,
}) => {
  await page.setViewportSize({ width: 320, height: 568 });
  const chat = await Chat.open(page);
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
  await chat.answer(giulia.eta);
  await chat.answer(giulia.nome);
  await expect(chat.send).toBeInViewport({ ratio: 1 });
  await page.getByRole('button', { name: 'Correggi' }).first().click();
  await page.clock.fastForward(1000);
  await expect(page.getByRole('button', { name: 'Lascia com’è' })).toBeAttached();
  await expect(chat.send).toBeInViewport({ ratio: 1 });
});

for (const { name, width, height } of WINDOWS) {
  test.describe(name, () => {
    test.use({ viewport: { width, height } });

    test('the chat', async ({ page }) => {
      const chat = await Chat.open(page);
      await expectNoSidewaysScroll(page, 'welcome');
      await chat.box.scrollIntoViewIfNeeded();
      await expect(chat.box).toBeInViewport({ ratio: 1 });
      await expectWithinReach(page, 'Avanti');
      await chat.tell(unbreakable);
      await expectNoSidewaysScroll(page, 'review');
      await expect(chat.submit).toBeInViewport({ ratio: 1 });
      await chat.finish();
      await expectNoSidewaysScroll(page, 'end');
      await expectWithinReach(page, 'Nuova segnalazione');
    });

    test('the panel', async ({ page, api, context, logIn, watch }) => {
      watch.expect(/status of 401.*\/session/, /status of 404/, /status of 412/);
      const panel = new Panel(page);
      await page.goto('/paibeta/login');
      await expect(panel.heading('Accesso al pannello')).toBeVisible();
      await expectNoSidewaysScroll(page, 'login');
      await expectWithinReach(page, 'Accedi al Pannello');

      await logIn(context);
      await panel.openList();
      await expect(page.getByText('Nessuna segnalazione trovata')).toBeVisible();
      await expectNoSidewaysScroll(page, 'empty list');
      const id = await api.tell(unbreakable);
      await expect(panel.row(unbreakable)).toBeVisible();
      await expectNoSidewaysScroll(page, 'list');
      await page.getByRole('button', { name: 'Apri il menu' }).click();
      await expectNoSidewaysScroll(page, 'menu');
      await audit(page, 'menu');
      await page.keyboard.press('Escape');

      await panel.open(unbreakable);
      await expectNoSidewaysScroll(page, 'detail');
      await panel.openFacts();
      await panel.note.fill('a'.repeat(200));
      await api.change(id, { note: 'b'.repeat(200) });
      await panel.save.click();
      await expect(panel.conflict).toBeVisible();
      await expectNoSidewaysScroll(page, 'conflict');
      await panel.conflict.getByRole('button', { name: 'Mantieni le mie modifiche' }).click();
      await panel.saved();

      await page.goto('/paibeta/admin/reports/00000000-0000-4000-8000-000000000000');
      await expect(panel.heading('Segnalazione non trovata')).toBeVisible();
      await expectNoSidewaysScroll(page, 'not found');
    });

    test.describe('before the first set-up', () => {
      test.use({ kind: 'empty' });

      test('the set-up', async ({ page, server }) => {
        await page.goto(server.setupLink);
        await page.getByLabel('Nuova password').fill(PASSWORD);
        await page.getByLabel('Ripeti la password').fill(PASSWORD);
        await expectNoSidewaysScroll(page, 'password');
        await page.getByRole('button', { name: 'Continua' }).click();
        const shown = page.getByText(/([A-Z]{4}-){7}[A-Z]{4}/).first();
        await expect(shown).toBeVisible();
        const code = /([A-Z]{4}-){7}[A-Z]{4}/.exec((await shown.textContent()) ?? '')?.[0] ?? '';
        await expectNoSidewaysScroll(page, 'recovery code');
        await page.getByRole('button', { name: 'Ho conservato il codice' }).click();
        await expectNoSidewaysScroll(page, 'code typed back');
        await expectWithinReach(page, 'Continua');
        await page.getByRole('textbox', { name: 'Codice di recupero' }).fill(code);
        await page.getByRole('button', { name: 'Continua' }).click();
        await expect(page.getByRole('heading', { name: 'Che cosa serve per segnalare' })).toBeVisible();
        await expectNoSidewaysScroll(page, 'what a report needs');
      });
    });
  });
}
