/** The phrases: edited, seen, tried and saved in the panel, and said in the chat. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Chat } from './support/chat';
import { Panel } from './support/panel';

const SAVED = 'Configurazione salvata con successo!';

async function openPrompts(page: Page, section = 'welcome'): Promise<void> {
  await page.goto(`/paibeta/admin/prompts?sezione=${section}`);
  await expect(new Panel(page).heading('Configurazione Prompt')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Salva Modifiche' })).toBeVisible();
}

const save = (page: Page) => page.getByRole('button', { name: 'Salva Modifiche' }).click();

test('a phrase is edited, seen, saved, and said to the next reporter', async ({ page, panel, visit }) => {
  await panel.openList();
  await page.getByRole('link', { name: 'Impostazioni' }).click();
  await page.getByRole('link', { name: 'Prompt Chat' }).first().click();
  await expect(panel.heading('Configurazione Prompt')).toBeFocused();

  const welcome = page.getByLabel('Messaggio iniziale', { exact: true });
  await welcome.fill('Buongiorno, qui risponde ?');
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('button', { name: 'Inserisci {name}' }).click();
  await expect(welcome).toBeFocused();
  await page.keyboard.insertText(' di {org}. Quanti anni hai');
  const said = 'Buongiorno, qui risponde PelazzAI di Le Iene. Quanti anni hai?';
  await expect(page.getByRole('region', { name: 'Anteprima della chat' }).getByText(said)).toBeVisible();
  await expect(page.getByText('Modifiche non salvate')).toBeVisible();
  await save(page);
  await expect(page.getByText(SAVED)).toBeVisible();
  await expect(page.getByText(SAVED)).toBeHidden({ timeout: 20_000 });

  const chat = await Chat.open(await visit());
  await chat.lastBubble(said);
});

test('accessible in every state', async ({ page, context, logIn, watch }) => {
  watch.expect(/status of 422/, /status of 500/);
  await logIn(context);
  await openPrompts(page, 'investigativeQuestions');
  await audit(page, 'phrases');
  await page.getByLabel('Testo troppo breve').fill('{boh}');
  await page.getByRole('button', { name: 'Prova la chat' }).click();
  await expect(page.getByText(/^Segnaposto sconosciuto/)).toBeVisible();
  await audit(page, 'run-through refused');
  await save(page);
  await expect(page.getByRole('alert')).toBeVisible();
  await audit(page, 'refused');
  await page.getByRole('button', { name: 'Scarta' }).click();
  await page.getByRole('button', { name: 'Prova la chat' }).click();
  await page.getByLabel('Età', { exact: true }).fill('17');
  await audit(page, 'run-through');
  await page.keyboard.press('Enter');
  await expect(page.getByText('nessuna segnalazione è stata creata')).toBeVisible();
  await audit(page, 'end of the run-through');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Reset Default' }).click();
  await audit(page, 'asked before the reset');
  await page.keyboard.press('Escape');
  await page.getByLabel('Messaggio di passaggio').fill('Bene.');
  await save(page);
  await expect(page.getByText(SAVED)).toBeVisible();
  await audit(page, 'saved');

  await page.route(/\/api\/prompts$/, (route) => route.fulfill({ status: 500 }));
  await page.reload();
  await expect(page.getByRole('button', { name: 'Riprova' })).toBeVisible();
  await audit(page, 'not loaded');
});

for (const width of [390, 320]) {
  test(`on a screen of ${width} pixels everything is within reach`, async ({ page, context, logIn }) => {
    await page.setViewportSize({ width, height: 700 });
    await logIn(context);
    await openPrompts(page);
    await page.getByLabel('Sezione', { exact: true }).selectOption('Raccolta Nome');
    await page.getByLabel('Domanda principale').fill(`${'parola-'.repeat(40)}{name}`);
    await expectNoSidewaysScroll(page, 'phrases');
    await expect(page.getByRole('button', { name: 'Salva Modifiche' })).toBeInViewport({ ratio: 1 });
    await page.getByRole('button', { name: 'Prova la chat' }).click();
    await expect(page.getByLabel('Età', { exact: true })).toBeVisible();
    await expectNoSidewaysScroll(page, 'run-through');
    await page.getByRole('button', { name: 'Chiudi', exact: true }).scrollIntoViewIfNeeded();
    await expect(page.getByRole('button', { name: 'Chiudi', exact: true })).toBeInViewport({ ratio: 1 });
  });
}
