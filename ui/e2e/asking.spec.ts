/** Asking back: questions to a story, who answers them and how, and consents. */
import type { Locator, Page } from '@playwright/test';
import type { CalloutQuestion, Receipt } from '../src/shared/api/schema';
import { expect, test } from './fixtures';
import { Api } from './support/api';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Panel } from './support/panel';
import { giulia, somebody } from './support/people';

const option = (key: string, text: string) => ({ key, text, next: null });

const beds = {
  slug: 'turni',
  title: 'Turni di notte',
  account: 'optional',
  department: 'generale',
  questions: [
    { key: 'chi', kind: 'text', text: 'Chi altro era in turno quella notte?' },
    { key: 'dopo', kind: 'yes_no', text: 'Possiamo chiamarti dopo le 14?' },
    {
      key: 'notti',
      kind: 'choice',
      text: 'Quante notti sei rimasta sola a novembre?',
      options: [
        option('poche', 'Meno di cinque'),
        option('molte', 'Da cinque a dieci'),
        option('tutte', 'Più di dieci'),
      ],
    },
    {
      key: 'cosa',
      kind: 'choices',
      text: 'Che cosa mancava?',
      options: [option('letti', 'I letti'), option('farmaci', 'I farmaci'), option('medici', 'I medici')],
    },
    { key: 'quanti', kind: 'number', text: 'Quanti pazienti c’erano?' },
    { key: 'quando', kind: 'date', text: 'Quando è successo?' },
  ],
};

/** Longer than a cell is wide, and with a line of its own. */
const LONG = `Eravamo in due.\n${'Poi la collega è stata chiamata in un altro reparto. '.repeat(12)}`;

/** What is answered, by the place of the question; the others are skipped. */
const ANSWERS: readonly unknown[][] = [
  ['Solo io, fino alle sei', true, 2, [0, 2], 31, '2026-11-12'],
  [LONG, false, 0, [1], '27,5', null],
  [null, null, 2, null, null, null],
  ['Nessuno; "mai"', true, 1, [0, 1, 2], 40, '2026-11-01'],
  ['=SOMMA(A1)', true, 2, [0], 12, null],
  ['boh', null, null, null, null, null],
  ['La caposala 😷', false, 2, [2], 8, '2026-10-31'],
  ['Io e Marta', true, 1, [0], 22, null],
  ['Tre colleghe', true, 2, [0, 2], 33, null],
  [null, false, null, null, 5, null],
];

/** A reporter who came back with the code. */
class Reporter {
  readonly #api: Api;
  readonly #code: string;
  #cookie = '';

  constructor(origin: string, code: string) {
    this.#api = new Api(origin);
    this.#code = code;
  }

  async open(): Promise<Receipt> {
    const opened = await this.#api.fetch('POST', '/receipts', { code: this.#code });
    this.#cookie = opened.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    return (await opened.json()) as Receipt;
  }

  async post(path: string, body: object): Promise<void> {
    const answer = await this.#api.fetch('POST', `/receipts/${path}`, body, { cookie: this.#cookie });
    expect(answer.status, path).toBe(200);
  }

  /** Answers the questions of the last message. */
  async answer(values: readonly unknown[]): Promise<void> {
    const message = (await this.open()).messages.at(-1);
    const answers = values.map((value, place) => {
      const question = message?.questions[place];
      return { key: question?.key, value: chosen(question, value) };
    });
    await this.post('answers', { message: message?.id, answers });
  }
}

/** Options by their places. */
function chosen(question: CalloutQuestion | undefined, value: unknown): unknown {
  const keyOf = (place: unknown) => question?.options[Number(place)]?.key;
  if (question?.kind === 'choice' && value !== null) {
    return keyOf(value);
  }
  return Array.isArray(value) ? value.map(keyOf) : value;
}

/** Counts what a person does. */
class Walk {
  actions = 0;

  async press(page: Page, key: string): Promise<void> {
    this.actions += 1;
    await page.keyboard.press(key);
  }

  async fill(box: Locator, text: string): Promise<void> {
    this.actions += 1;
    await box.fill(text);
  }

  async select(box: Locator, label: string): Promise<void> {
    this.actions += 1;
    await box.selectOption({ label });
  }
}

async function answerWithoutScript(page: Page, code: string, [who, nights]: readonly [string, string]) {
  await page.goto('/paibeta/seguito');
  await page.getByLabel(/codice/i).fill(code);
  await page.getByRole('button', { name: /^Apri/ }).click();
  await page.getByLabel('Chi altro era in turno quella notte?').fill(who);
  await page.getByLabel(nights).check();
  await page.getByRole('button', { name: 'Invia le risposte' }).click();
  await expect(page.getByRole('paragraph').filter({ hasText: who })).toBeVisible();
}

test('six questions to a story of twenty: asked in a few actions, twelve answer, table and CSV say so', async ({
  page,
  api,
  browser,
  server,
  logIn,
}) => {
  await logIn(page.context());
  await api.saveSecurity({ maxReportsPerDay: 1_000_000 });
  await api.openCallout(beds);
  const told: { id: string; code: string }[] = [];
  for (let number = 1; number <= 20; number += 1) {
    told.push(await api.tellForCode(somebody(number)));
  }
  const made = await api.fetch('POST', '/stories', {
    title: 'Il pronto soccorso',
    reports: told.map(({ id }) => id),
  });
  const { id: story } = (await made.json()) as { id: string };
  await page.goto(`/paibeta/admin/storie/${story}`);
  await expect(new Panel(page).heading('Il pronto soccorso')).toBeVisible();

  const walk = new Walk();
  await walk.press(page, 'w');
  const text = page.getByRole('textbox', { name: 'Messaggio' });
  await walk.fill(text, 'Grazie. Sei cose ci servono prima di venire lì:');
  await walk.select(page.getByLabel('Domande di un’inchiesta'), beds.title);
  await expect(page.getByRole('button', { name: 'Invia a 20 con 6 domande' })).toBeVisible();
  await expect(page.getByText('6 di 6')).toBeVisible();
  await page.setViewportSize({ width: 320, height: 568 });
  await expectNoSidewaysScroll(page, 'six questions to all');
  await page.setViewportSize({ width: 1366, height: 650 });
  await audit(page, 'six questions to all');
  await text.focus();
  await walk.press(page, 'Control+Enter');
  await expect(page.getByText('Inviato a 20 · Il pronto soccorso')).toBeVisible();
  expect(walk.actions).toBeLessThanOrEqual(12);

  for (const [place, values] of ANSWERS.entries()) {
    await new Reporter(server.origin, told[place]?.code ?? '').answer(values);
  }
  const bare = await browser.newContext({ javaScriptEnabled: false, baseURL: server.origin });
  await answerWithoutScript(await bare.newPage(), told[10]?.code ?? '', ['Un’infermiera', 'Più di dieci']);
  await bare.clearCookies();
  await answerWithoutScript(await bare.newPage(), told[11]?.code ?? '', ['Due OSS', 'Meno di cinque']);
  await bare.close();
  // Two have read, and say nothing.
  await new Reporter(server.origin, told[12]?.code ?? '').open();
  await new Reporter(server.origin, told[13]?.code ?? '').open();

  await page.reload();
  await page.getByText('Risposte: letto da 14, risposto da 12').click();
  const table = page.getByRole('region', { name: /^Tabella delle risposte/ });
  await expect(table.getByRole('row')).toHaveCount(21);
  await expect(table.getByRole('row', { name: /Bianchi A?B / })).not.toHaveCount(0);
  await expect(table.getByText('Solo io, fino alle sei')).toBeVisible();
  await expect(table.getByRole('cell', { name: /^Eravamo in due/ })).toContainText(
    /in un altro reparto\.\s*$/,
  );
  await expect(table.getByText('Un’infermiera')).toBeVisible();
  await expect(table.getByText('Saltata')).toHaveCount(26);
  const bars = page.getByRole('listitem').filter({ hasText: /^Più di dieci/ });
  await expect(bars.first()).toHaveText('Più di dieci6');
  for (const [width, height] of [
    [320, 568],
    [1366, 650],
  ] as const) {
    await page.setViewportSize({ width, height });
    await audit(page, `who answered, ${width}`);
    await expectNoSidewaysScroll(page, `who answered, ${width}`);
  }
  await page.emulateMedia({ forcedColors: 'active' });
  await audit(page, 'who answered, in forced colours');
  await page.emulateMedia({ forcedColors: null });

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Esporta CSV' }).click(),
  ]);
  const chunks: Buffer[] = [];
  for await (const chunk of await file.createReadStream()) {
    chunks.push(chunk as Buffer);
  }
  const csv = Buffer.concat(chunks).toString('utf8');
  for (const { text: asked } of beds.questions) {
    expect(csv).toContain(asked);
  }
  expect(csv).toContain('Solo io, fino alle sei');
  expect(csv).toContain('I letti, I medici');
});

test('questions and a consent of one report: asked, answered beside them, taken back', async ({
  page,
  api,
  server,
  logIn,
  watch,
}) => {
  watch.expect(/status of 422.*messages/);
  await logIn(page.context());
  const { id, code } = await api.tellForCode(giulia);
  const panel = new Panel(page);
  await panel.openReport(id);
  await page.keyboard.press('w');
  const box = page.getByRole('form', { name: 'Scrivi a chi ha segnalato' });
  await box.getByRole('textbox', { name: 'Scrivi a chi ha segnalato' }).fill('Tre cose prima di venire lì.');
  await box.getByRole('button', { name: 'Domanda', exact: true }).click();
  await page.keyboard.type('Chi altro c’era?');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Quanti piatti?');
  await box.getByLabel('Risposta alla domanda 2').selectOption('number');
  await box.getByRole('button', { name: 'Domanda', exact: true }).click();
  await page.keyboard.type('In che giorni?');
  await box.getByLabel('Risposta alla domanda 3').selectOption('choices');
  await box.getByLabel('Scelta 1', { exact: true }).fill('Il lunedì');
  await audit(page, 'a question of choices');
  for (const [width, height] of [
    [320, 568],
    [390, 844],
    [1366, 650],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expectNoSidewaysScroll(page, `questions in the box, ${width}`);
  }
  // The second answer is missing: refused where it is missing, and nothing is lost.
  await box.getByRole('button', { name: 'Invia con 3 domande' }).click();
  await expect(box.getByLabel('Scelta 2', { exact: true })).toHaveAttribute('aria-invalid', 'true');
  // What was begun is there again.
  await page.getByRole('link', { name: 'Torna alla lista' }).click();
  await expect(panel.heading('Segnalazioni')).toBeVisible();
  await page.goBack();
  await expect(page.getByText('3 di 6')).toBeVisible();
  await page.getByRole('button', { name: /^Domanda 3/ }).click();
  await box.getByLabel('Scelta 2', { exact: true }).fill('Il venerdì');
  await box.getByRole('button', { name: 'Invia con 3 domande' }).click();
  const stream = page.getByRole('region', { name: 'Conversazione' });
  await expect(stream.getByText('3. In che giorni?')).toBeVisible();

  // Unread, it is taken back, and there to be written anew.
  await page.keyboard.press('z');
  await expect(stream.getByText('3. In che giorni?')).toHaveCount(0);
  await expect(page.getByText('3 di 6')).toBeVisible();
  await box.getByRole('button', { name: 'Invia con 3 domande' }).click();
  await expect(stream.getByText('Non ha ancora risposto')).toBeVisible();

  const reporter = new Reporter(server.origin, code);
  await reporter.answer(['La cuoca', null, [0, 1]]);
  await page.reload();
  await expect(stream.getByText('Nuovo')).toBeVisible();
  await expect(stream.getByRole('definition').first()).toHaveText('La cuoca');
  await expect(stream.getByText('Saltata')).toBeVisible();
  await expect(stream.getByText('Il lunedì, Il venerdì')).toBeVisible();
  await audit(page, 'answers in a report');

  await panel.more('Chiedi un consenso');
  const dialog = page.getByRole('dialog', { name: 'Chiedi un consenso' });
  await dialog.getByLabel('A che cosa').selectOption('voce');
  await expect(dialog.getByLabel('Con queste parole')).toHaveValue(/Puoi cambiare idea in ogni momento/);
  await audit(page, 'a consent to ask');
  await dialog.getByRole('button', { name: 'Chiedi', exact: true }).click();
  await expect(page.getByRole('strong').filter({ hasText: 'Voce: chiesto' })).toBeVisible();
  const asked = (await reporter.open()).messages.at(-1);
  await reporter.post(`consents/${asked?.id}`, { given: true });
  await page.reload();
  const line = page.getByRole('strong').filter({ hasText: /^Voce: sì, \d/ });
  await line.click();
  await expect(page.getByRole('region', { name: 'Voce' })).toContainText('Possiamo far sentire la tua voce');
  await audit(page, 'a consent that is given');
  await reporter.post(`consents/${asked?.id}`, { given: false });
  await page.reload();
  await expect(page.getByRole('strong').filter({ hasText: /^Voce: ritirato, \d/ })).toBeVisible();
  await audit(page, 'a consent that is taken back');
  await page.setViewportSize({ width: 320, height: 568 });
  await expectNoSidewaysScroll(page, 'a consent that is taken back');
});
