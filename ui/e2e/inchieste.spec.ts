/** Callouts in the panel: written, tried, opened, answered, read; by whom, and in which window. */
import { readFile } from 'node:fs/promises';
import type { BrowserContext, Locator, Page } from '@playwright/test';
import type { CalloutDetail, ChatReply } from '../src/shared/api/schema';
import { expect, test } from './fixtures';
import type { Api, SessionCookie } from './support/api';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Panel } from './support/panel';
import { expectInSight, named, WINDOWS } from './support/windows';

const PASSWORD = 'sette lampioni lungo il viale';
const anna = { name: 'Anna Bianchi', user: 'anna.bianchi', departments: ['lavoro'] };
const TITLE = 'Avete pagato per un posto letto?';
const SLUG = 'avete-pagato-per-un-posto-letto';

const question = (key: string, kind: string, text: string, more: object = {}) => ({
  key,
  kind,
  text,
  ...more,
});
const option = (key: string, text: string, next: string | null = null) => ({ key, text, next });

const CALLOUT = {
  slug: SLUG,
  title: TITLE,
  intro: 'Cerchiamo chi ha pagato in nero.',
  department: 'lavoro',
  closedText: 'Grazie, abbiamo finito.',
  questions: [
    question('d1', 'yes_no', 'Hai pagato?', { required: true }),
    question('d2', 'choice', 'A chi?', {
      options: [option('r1', 'Al proprietario'), option('r2', 'A un mediatore')],
    }),
    question('d3', 'number', 'Quanti euro?'),
  ],
};

async function json<T>(api: Api, method: string, path: string, body?: object): Promise<T> {
  const answer = await api.fetch(method, path, body);
  expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true);
  return (await answer.json()) as T;
}

async function openedCallout(api: Api, change: object = {}): Promise<CalloutDetail> {
  const { id } = await json<CalloutDetail>(api, 'POST', '/callouts', { ...CALLOUT, ...change });
  return json(api, 'POST', `/callouts/${id}/open`);
}

/** Answers as a visitor does, and gives the report's id. */
async function answer(api: Api, ...texts: readonly string[]): Promise<string> {
  let reply = await json<ChatReply>(api, 'POST', '/chat', { callout: SLUG });
  for (const text of ['34', ...texts, 'no']) {
    const { conversation } = reply;
    reply = await json<ChatReply>(api, 'POST', '/chat/turns', { conversation, text });
  }
  expect(reply.reportId, `no report came of it: ${reply.state}`).toBeTruthy();
  return reply.reportId ?? '';
}

async function enter(context: BrowserContext, origin: string, cookie: SessionCookie): Promise<void> {
  await context.addCookies([{ ...cookie, url: origin, httpOnly: true, sameSite: 'Strict' }]);
}

/** A hand that counts what it presses; an option that is chosen counts twice. */
class Hand {
  presses = 0;
  async press(thing: Locator): Promise<void> {
    this.presses += 1;
    await thing.click();
  }
  async choose(list: Locator, value: string | { label: string }): Promise<void> {
    this.presses += 2;
    await list.selectOption(value);
  }
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

test('an editor writes six questions and a route, and opens them, in 40 clicks', async ({
  page,
  api,
  context,
  server,
}) => {
  const { cookie } = await api.welcome({ ...anna, role: 'redattore' }, PASSWORD);
  await enter(context, server.origin, cookie);
  const hand = new Hand();
  await new Panel(page).openList();
  const begun = Date.now();
  await hand.press(page.getByRole('link', { name: 'Inchieste' }));
  await expect(page.getByText('Serve a chiedere al pubblico una cosa sola')).toBeVisible();
  await audit(page, 'none yet');
  await hand.press(page.getByRole('link', { name: 'Nuova inchiesta' }));
  await expect(page.getByLabel('Titolo', { exact: true })).toBeFocused();
  await page.keyboard.type(TITLE);
  await expect(page.getByRole('textbox', { name: 'Indirizzo' })).toHaveValue(SLUG);

  const add = async (kind: string, text: string) => {
    await hand.press(button(page, 'Aggiungi una domanda'));
    const asked = page.getByRole('textbox', { name: /^Domanda \d+$/ });
    await expect(asked).toBeFocused();
    await page.keyboard.type(text);
    if (kind !== 'Testo') {
      await hand.choose(page.getByLabel('Risposta', { exact: true }), { label: kind });
      await asked.focus();
    }
  };
  const answers = async (...texts: readonly string[]) => {
    for (const text of texts) {
      await page.keyboard.press('Enter');
      await page.keyboard.type(text);
    }
  };
  await add('Sì o no', 'Hai pagato per un posto letto?');
  await hand.choose(page.getByLabel('No, poi'), 'end:');
  await hand.press(page.getByLabel('No, testo finale'));
  await page.keyboard.type('Grazie: cerchiamo chi ha pagato.');
  await add('Una scelta', 'A chi?');
  await answers('Al proprietario', 'A un mediatore', 'Non lo so');
  await add('Numero', 'Quanti euro al mese?');
  await add('Più scelte', 'Che cosa mancava?');
  await answers('Acqua calda', 'Riscaldamento');
  await add('Data', 'Da quando?');
  await add('Testo', 'Che cosa dobbiamo sapere?');
  await hand.press(button(page, 'Apri'));
  await expect(page.getByText('Aperta', { exact: true })).toBeVisible();
  await hand.press(button(page, 'Copia il link'));

  const seconds = Math.round((Date.now() - begun) / 1000);
  test.info().annotations.push({ type: 'clicks', description: `${hand.presses} in ${seconds} s` });
  expect(hand.presses).toBeLessThanOrEqual(40);
  const begin = await json<ChatReply>(api, 'POST', '/chat', { callout: SLUG });
  const first = await json<ChatReply>(api, 'POST', '/chat/turns', {
    conversation: begin.conversation,
    text: '34',
  });
  expect(first.question).toMatchObject({ key: expect.stringMatching(/^d[a-z0-9]+$/), kind: 'yes_no' });
  await audit(page, 'open');
});

test('one that is broken does not open, and says where', async ({ page, api, context, logIn, watch }) => {
  const options = [option('r1', 'Al proprietario', 'd4'), option('r2', '')];
  const questions = [
    question('d1', 'yes_no', 'Hai pagato?'),
    question('d2', 'choice', 'A chi?', { options }),
    question('d3', 'number', 'Quanti euro?', { required: true }),
    question('d4', 'text', 'Altro?'),
  ];
  const { id } = await json<CalloutDetail>(api, 'POST', '/callouts', { ...CALLOUT, questions });
  await logIn(context);
  await page.goto(`/paibeta/admin/callouts/${id}`);
  await expect(button(page, /^Domanda 2: A chi\?/)).toContainText('scelta 1: Salta «Quanti euro?»');
  await audit(page, 'incomplete');
  watch.expect(/status of 409/);
  await button(page, 'Apri').click();
  // It is said at the field, and nothing alarms.
  await expect(page.getByLabel('Scelta 1, poi')).toBeFocused();
  await expect(page.getByLabel('Scelta 1, poi')).toBeInViewport({ ratio: 1 });
  await expect(page.getByLabel('Scelta 1, poi')).toHaveAccessibleDescription(/^Salta «Quanti euro\?»/);
  await expect(page.getByRole('alert')).toHaveCount(0);
  await audit(page, 'broken');
  await page.getByLabel('Scelta 1, poi').selectOption({ label: 'La domanda che segue' });
  await button(page, 'Domanda 2: scelta 2: Scrivi la scelta.').click();
  await expect(page.getByLabel('Scelta 2', { exact: true })).toBeFocused();
  await page.getByLabel('Scelta 2', { exact: true }).fill('A un mediatore');
  await button(page, 'Apri').click();
  await expect(page.getByText('Aperta', { exact: true })).toBeVisible();
  await button(page, 'Chiudi').click();
  await button(page, 'Chiudi l’inchiesta').click();
  await expect(page.getByText('Chiusa', { exact: true })).toBeVisible();
});

test('questions change places by a drag, a key and a button', async ({ page, api, context, logIn }) => {
  const { id } = await json<CalloutDetail>(api, 'POST', '/callouts', CALLOUT);
  await logIn(context);
  await page.goto(`/paibeta/admin/callouts/${id}`);
  const row = (text: string) => button(page, new RegExp(`^Domanda \\d+: ${text.replace('?', '\\?')}`));
  const asked = () => page.getByRole('button', { name: /^Domanda \d+: / }).allInnerTexts();
  const order = async (...texts: readonly string[]) =>
    expect.poll(async () => (await asked()).map((row) => row.split('\n')[1] ?? row)).toEqual(texts);
  await order('Hai pagato?', 'A chi?', 'Quanti euro?');
  await row('Quanti euro?').dragTo(row('Hai pagato?'));
  await order('Quanti euro?', 'Hai pagato?', 'A chi?');
  await row('Quanti euro?').press('Alt+ArrowDown');
  await expect(row('Quanti euro?')).toBeFocused();
  await order('Hai pagato?', 'Quanti euro?', 'A chi?');
  await row('Hai pagato?').click();
  await button(page, 'Sposta giù la domanda 1').press('Enter');
  await expect(button(page, 'Sposta giù la domanda 2')).toBeFocused();
  await button(page, 'Salva Modifiche').click();
  await expect(page.getByText('Inchiesta salvata.')).toBeVisible();
  const saved = await json<CalloutDetail>(api, 'GET', `/callouts/${id}`);
  expect(saved.questions.map(({ key }) => key)).toEqual(['d3', 'd1', 'd2']);
});

test('a question is one line until it is opened, six of them fit a low window', async ({
  page,
  api,
  context,
  logIn,
}) => {
  const six = ['uno', 'due', 'tre', 'quattro', 'cinque', 'sei'].map((text, n) =>
    n === 2
      ? question('d2', 'choice', text, { options: [option('r1', 'a'), option('r2', 'b'), option('r3', 'c')] })
      : question(`q${n}`, 'text', text),
  );
  const { id } = await json<CalloutDetail>(api, 'POST', '/callouts', { ...CALLOUT, questions: six });
  await logIn(context);
  await page.setViewportSize({ width: 1366, height: 650 });
  await page.goto(`/paibeta/admin/callouts/${id}`);
  await button(page, /^Domanda 1: uno/).click();
  await button(page, /^Domanda 3: tre/).click();
  await expect(page.getByLabel('Domanda 1', { exact: true })).toHaveCount(0);
  await expectInSight({
    open: page.getByLabel('Domanda 3', { exact: true }),
    last: button(page, /^Domanda 6: sei/),
    add: button(page, 'Aggiungi una domanda'),
  });
  await audit(page, 'a question open');
});

test('a callout that was begun and left is nowhere', async ({ page, api, context, logIn }) => {
  await logIn(context);
  await page.goto('/paibeta/admin/callouts');
  await page.getByRole('link', { name: 'Nuova inchiesta' }).click();
  await expect(page.getByLabel('Titolo', { exact: true })).toBeFocused();
  await expect(page.getByLabel('Reparto')).toHaveValue('generale');
  await page.getByRole('link', { name: 'Torna alle inchieste' }).click();
  await expect(page.getByText('Nessuna inchiesta, per ora')).toBeVisible();
  expect((await json<{ data: unknown[] }>(api, 'GET', '/callouts')).data).toEqual([]);
});

test('it is tried in questions that are not saved, and leaves nothing behind', async ({
  page,
  api,
  context,
  logIn,
}) => {
  const { id } = await json<CalloutDetail>(api, 'POST', '/callouts', CALLOUT);
  await logIn(context);
  await page.goto(`/paibeta/admin/callouts/${id}`);
  await button(page, /^Domanda 1: /).click();
  await page.getByLabel('Domanda 1', { exact: true }).fill('Hai pagato in nero?');
  await button(page, 'Prova').click();
  const dialog = page.getByRole('dialog', { name: 'Prova la chat' });
  await dialog.getByRole('button', { name: 'Usa un esempio' }).click();
  await dialog.getByRole('button', { name: 'Invia' }).click();
  await expect(dialog.getByText('Hai pagato in nero?')).toBeVisible();
  await audit(page, 'tried');
  await dialog.getByRole('group', { name: 'Risposte' }).getByRole('button', { name: 'Sì' }).click();
  await expect(dialog.getByText('A chi?')).toBeVisible();
  await dialog.getByRole('button', { name: 'Salta' }).click();
  await expect(dialog.getByText('Quanti euro?')).toBeVisible();
  await dialog.getByRole('button', { name: 'Chiudi' }).click();
  expect((await api.list()).counters.total).toBe(0);
});

test('the QR is a picture and a drawing', async ({ page, api, context, logIn }) => {
  const { id } = await openedCallout(api);
  await logIn(context);
  await page.goto(`/paibeta/admin/callouts/${id}`);
  await expect(page.getByText(`/paibeta/i/${SLUG}`)).toBeVisible();
  await page.getByText('QR e codice per un sito').click();
  for (const [kind, begins] of [
    ['PNG', '\x89PNG'],
    ['SVG', '<svg'],
  ] as const) {
    const coming = page.waitForEvent('download');
    await button(page, `${kind} del QR`).click();
    const file = await coming;
    expect(file.suggestedFilename()).toBe(`${SLUG}.${kind.toLowerCase()}`);
    expect((await readFile(await file.path())).toString('latin1').slice(0, 4)).toBe(begins);
  }
});

test('answers come into the table and the bars, and lead to their reports', async ({
  page,
  api,
  context,
  logIn,
}) => {
  const { id } = await openedCallout(api, { thanks: 'Grazie.' });
  await answer(api, 'sì', 'al proprietario', '350');
  await logIn(context);
  await page.goto('/paibeta/admin/callouts');
  await page.getByRole('link', { name: TITLE }).click();
  const table = page.getByRole('region', { name: 'Tabella delle risposte' });
  await expect(table.getByRole('rowheader')).toHaveCount(1);
  const last = await answer(api, 'sì', 'a un mediatore', '1.200');
  await expect(table.getByRole('rowheader')).toHaveCount(2);
  await expect(page.getByRole('region', { name: 'Hai pagato?' })).toContainText('Sì2');
  await audit(page, 'answers');
  await button(page, 'Quanti euro?').click();
  await expect(table.getByRole('row').nth(1)).toContainText('350');
  await page.getByLabel('Filtra').fill('mediatore');
  await expect(table.getByRole('rowheader')).toHaveCount(1);
  await table.getByRole('link').click();

  const name = `Anonimo ${last.slice(0, 8)}`;
  await expect(new Panel(page).heading(name)).toBeVisible();
  await expectInSight({ callout: page.getByRole('link', { name: TITLE }) });
  await expect(page.getByRole('region', { name: 'Inchiesta' })).toContainText('A chi?A un mediatore');
  await audit(page, 'a report of a callout');
  await new Panel(page).openList(`?callout=${id}`);
  await expect(new Panel(page).rows).toHaveCount(2);
  await expect(new Panel(page).rows.first()).toContainText(name);
  await page.goto(`/paibeta/admin/callouts/${id}/answers`);
  const coming = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Esporta CSV' }).click();
  expect(await readFile(await (await coming).path(), 'utf8')).toMatch(/Hai pagato\?[\s\S]*A un mediatore/);
});

test('in every window', async ({ page, api, context, logIn }) => {
  const { id } = await openedCallout(api);
  await answer(api, 'sì', 'al proprietario', '350');
  await logIn(context);
  const heading = page.getByRole('heading', { level: 1 });
  for (const [address, first] of [
    ['', page.getByRole('link', { name: TITLE })],
    [`/${id}`, button(page, 'Chiudi')],
    [`/${id}/answers`, page.getByRole('link', { name: 'Risposte' })],
  ] as const) {
    for (const size of WINDOWS) {
      await page.setViewportSize(size);
      await page.goto(`/paibeta/admin/callouts${address}`);
      await expectInSight({ heading, first });
      await expectNoSidewaysScroll(page, `${address || 'list'} at ${named(size)}`);
    }
    await audit(page, address || 'list');
  }
});
