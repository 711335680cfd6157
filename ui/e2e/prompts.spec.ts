/** The phrases: edited, seen, tried and saved in the panel, and said in the chat. */
import type { Page } from '@playwright/test';
import type { Phrases } from '../src/shared/api/schema';
import { expect, test } from './fixtures';
import type { Api } from './support/api';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Chat } from './support/chat';
import { Panel } from './support/panel';

const SAVED = 'Configurazione salvata con successo!';

async function openPrompts(page: Page, section = 'welcome'): Promise<void> {
  await page.goto(`/paibeta/admin/prompts?sezione=${section}`);
  await expect(new Panel(page).heading('Configurazione Prompt')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Salva Modifiche' })).toBeVisible();
}

async function stored(api: Api): Promise<Phrases> {
  return (await (await api.fetch('GET', '/prompts')).json()) as Phrases;
}

const save = (page: Page) => page.getByRole('button', { name: 'Salva Modifiche' }).click();

test('a phrase is edited, seen, saved, and said to the next reporter', async ({
  page,
  context,
  logIn,
  visit,
}) => {
  await logIn(context);
  const panel = new Panel(page);
  await panel.openList();
  await page.getByRole('link', { name: 'Prompt Chat' }).click();
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

test('the conversation is run through in phrases that are not saved, and leaves nothing behind', async ({
  page,
  api,
  context,
  logIn,
}) => {
  const before = await stored(api);
  await logIn(context);
  await openPrompts(page, 'collectReport');
  await page.getByLabel('Messaggio di chiusura').fill('A presto da {org}.');
  await page.getByRole('button', { name: 'Prova la chat' }).click();
  const dialog = page.getByRole('dialog', { name: 'Prova la chat' });
  const send = dialog.getByRole('button', { name: 'Invia' });
  for (const label of [
    'Età',
    'Nome',
    'Cognome',
    'Telefono',
    'Email',
    'Indirizzo',
    'Racconto',
    'Altre informazioni',
  ]) {
    await expect(dialog.getByLabel(label, { exact: true })).toBeVisible();
    await dialog.getByRole('button', { name: 'Usa un esempio' }).click();
    await send.click();
  }
  await expect(dialog.getByText('A presto da Le Iene.')).toBeVisible();
  await expect(dialog.getByText('nessuna segnalazione è stata creata')).toBeVisible();
  await dialog.getByRole('button', { name: 'Ricomincia' }).click();
  await dialog.getByLabel('Età', { exact: true }).fill('17');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('La chat termina qui.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();

  expect((await api.list()).counters.total).toBe(0);
  expect(await stored(api)).toEqual(before);
});

test('an unknown placeholder is named at its text, by the run-through and by the save', async ({
  page,
  api,
  context,
  logIn,
  watch,
}) => {
  await logIn(context);
  await openPrompts(page, 'collectName');
  const question = page.getByLabel('Domanda principale');
  const fault =
    /Segnaposto sconosciuto: \{nome\}\. Puoi usare \{name\}, \{org\}, \{minChars\}, \{minWords\}\./;
  await question.fill('Come ti chiami, {nome}?');
  watch.expect(/status of 422.*\/prompts\/try/, /status of 422.*\/prompts$/);
  for (const [label, press] of [
    ['Prova la chat', () => page.getByRole('button', { name: 'Prova la chat' }).click()],
    ['Salva Modifiche', () => save(page)],
  ] as const) {
    await page.getByRole('button', { name: 'Finalizzazione' }).click();
    await press();
    await expect(question, label).toBeFocused();
    await expect(question).toHaveAccessibleDescription(fault);
  }
  await expect(page.getByRole('alert')).toContainText('Errore nel salvataggio della configurazione');
  expect((await stored(api)).collectName.prompt).toBe('Come ti chiami? Scrivi solo il nome.');
});

test('everything goes back to how it was delivered, after a question', async ({
  page,
  api,
  context,
  logIn,
}) => {
  const delivered = await stored(api);
  await api.fetch('PUT', '/prompts', { welcome: 'Un altro benvenuto.' });
  await logIn(context);
  await openPrompts(page);
  const welcome = page.getByLabel('Messaggio iniziale', { exact: true });
  await expect(welcome).toHaveValue('Un altro benvenuto.');
  await page.getByRole('button', { name: 'Reset Default' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reset Default' });
  await expect(dialog).toContainText(
    'Sei sicuro di voler ripristinare tutti i prompt ai valori predefiniti?',
  );
  await dialog.getByRole('button', { name: 'Annulla' }).click();
  await expect(welcome).toHaveValue('Un altro benvenuto.');
  await page.getByRole('button', { name: 'Reset Default' }).click();
  await dialog.getByRole('button', { name: 'Ripristina tutto' }).click();
  await expect(page.getByText('Configurazione ripristinata ai valori predefiniti')).toBeVisible();
  await expect(welcome).toHaveValue(delivered.welcome);
  expect(await stored(api)).toEqual(delivered);
});

test('unsaved phrases are not left behind without a question, nor lost when the session ends', async ({
  page,
  context,
  logIn,
  watch,
}) => {
  await logIn(context);
  await openPrompts(page);
  const welcome = page.getByLabel('Messaggio iniziale', { exact: true });
  await welcome.fill('A metà');
  await page.getByRole('link', { name: 'Segnalazioni', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Modifiche non salvate' });
  await expect(dialog).toContainText('Hai modificato le frasi della chat.');
  await dialog.getByRole('button', { name: 'Resta qui' }).click();
  await expect(welcome).toHaveValue('A metà');

  watch.expect(/status of 401/);
  await context.clearCookies();
  await save(page);
  await expect(new Panel(page).heading('Accesso al pannello')).toBeVisible();
  await logIn(context);
  await page.getByLabel('Password', { exact: true }).fill('quattro cavalli in pianura');
  await page.getByRole('button', { name: 'Accedi al Pannello' }).click();
  await expect(welcome).toHaveValue('A metà');
  await expect(page.getByText('abbiamo conservato ciò che avevi scritto')).toBeVisible();
  await page.getByRole('button', { name: 'Scarta' }).click();
  await page.getByRole('link', { name: 'Segnalazioni', exact: true }).click();
  await expect(new Panel(page).heading('Segnalazioni')).toBeVisible();
});

test('two editors change different phrases, and neither undoes the other', async ({
  page,
  api,
  context,
  logIn,
}) => {
  await logIn(context);
  await openPrompts(page, 'collectName');
  await page.getByLabel('Messaggio di passaggio').fill('Piacere.');
  await api.fetch('PUT', '/prompts', { collectName: { prompt: 'Nome?' } });
  await save(page);
  await expect(page.getByText(SAVED)).toBeVisible();
  expect((await stored(api)).collectName).toMatchObject({ prompt: 'Nome?', next: 'Piacere.' });
  await expect(page.getByLabel('Domanda principale')).toHaveValue('Nome?');
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
