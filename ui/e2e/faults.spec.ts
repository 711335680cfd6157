/** When the line or the server fails: nothing that was typed is lost, nothing is sent twice, and the page says so. */
import { readdir } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { DEMO_PASSWORD } from './support/api';
import { Chat, FAILED, REPLY_DELAY } from './support/chat';
import { Panel } from './support/panel';
import { giulia, matteo } from './support/people';

/** What the browser says of a server that is not there. */
const NO_ANSWER = /net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)/;
/** Within this the page has to notice that the newsroom came or went, in milliseconds. */
const NOTICED = { timeout: 20_000 };

const KEPT = 'Segnalazione non ancora inviata';
const SENT = 'Segnalazione inviata';

/** Reports this browser keeps. */
function kept(page: Page): Promise<string[]> {
  return page.evaluate(() => Object.keys(localStorage).filter((key) => /^pelazzai_report_\d+$/.test(key)));
}

test('the server dies in mid-chat: the text stays, and goes through once it is back', async ({
  page,
  server,
  api,
  watch,
}) => {
  watch.expect(NO_ANSWER);
  const chat = await Chat.open(page);
  await chat.answer(giulia.eta);
  await server.kill();
  await expect(chat.badge).toHaveText('Stato: Offline', NOTICED);
  await chat.say(giulia.nome);
  await expect(chat.failure).toHaveText(FAILED);
  await expect(chat.box).toHaveValue(giulia.nome);
  await expect(chat.box).toBeFocused();
  await expect(chat.bubbles).toHaveCount(4);

  await server.restart();
  await expect(chat.badge).toHaveText('Stato: Online', NOTICED);
  await chat.box.press('Enter');
  await page.clock.fastForward(REPLY_DELAY);
  await chat.asks('Il tuo cognome', 3);
  await expect(page.getByText(FAILED)).toBeHidden();
  // The key of the conversations lies with the data: the restarted server goes on where the killed one was.
  for (const text of [giulia.cognome, giulia.telefono, giulia.email, giulia.indirizzo, giulia.segnalazione]) {
    await chat.answer(text);
  }
  await chat.finish();
  expect(await api.detailOf(giulia)).toMatchObject({ nome: giulia.nome, email: giulia.email });
});

test('a report whose last turn finds no server is kept here, and sent by itself', async ({
  page,
  server,
  api,
  watch,
}) => {
  watch.expect(NO_ANSWER);
  const chat = await Chat.open(page);
  await chat.tell(giulia);
  await server.kill();
  await chat.say('Ho anche le bolle di consegna.');
  const notice = page.getByRole('heading', { name: KEPT });
  await expect(notice).toBeFocused();
  await expect(page.getByText(/è conservata in questo browser e partirà da sola/)).toBeVisible();
  await expect(chat.closing).toBeHidden();
  await expect.poll(() => kept(page)).toHaveLength(1);

  await server.restart();
  await expect(page.getByRole('heading', { name: SENT })).toBeVisible({ timeout: 20_000 });
  await expect(chat.closing).toBeVisible();
  await expect(page.getByText(/La copia in questo browser è stata eliminata/).first()).toBeVisible();
  // Nothing is left but the code of the receipt.
  await expect.poll(async () => JSON.stringify(await chat.traces())).not.toContain(giulia.nome);
  expect((await api.list()).counters.total).toBe(1);
  expect((await api.detailOf(giulia)).segnalazione).toBe(
    `${giulia.segnalazione}\n\nINFORMAZIONI AGGIUNTIVE\nHo anche le bolle di consegna.`,
  );
});

test('an answer of the server that gets lost does not double the report', async ({ page, api, watch }) => {
  watch.expect(/net::ERR_FAILED/);
  const chat = await Chat.open(page);
  await chat.tell(giulia);
  await page.route(
    /\/chat\/turns$/,
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await chat.finish();
  expect((await api.list()).counters.total).toBe(1);
});

test('the panel keeps what is on screen while the server is away, and catches up', async ({
  page,
  server,
  api,
  panel,
  watch,
}) => {
  watch.expect(NO_ANSWER);
  await api.tell(giulia);
  await panel.openList();
  await expect(panel.row(giulia)).toBeVisible();
  await server.kill();
  await expect(page.getByText('Aggiornamento automatico interrotto')).toBeVisible(NOTICED);
  await expect(panel.row(giulia)).toBeVisible();
  await server.restart();
  await api.tell(matteo);
  await expect(panel.row(matteo)).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText('Aggiornamento automatico interrotto')).toBeHidden();
});

test.describe('in a demonstration', () => {
  test.use({ kind: 'demo' });

  test('the page says Demo, the login page tells its password, eight reports wait, nothing is written', async ({
    page,
    server,
    watch,
  }) => {
    await page.addInitScript(() => {
      const shifts = new PerformanceObserver((list) => {
        const root = document.documentElement;
        // What follows a click is no surprise.
        const moved = (list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
          .filter((entry) => !entry.hadRecentInput)
          .reduce((sum, entry) => sum + entry.value, 0);
        root.dataset.moved = String(Number(root.dataset.moved ?? 0) + moved);
      });
      shifts.observe({ type: 'layout-shift', buffered: true });
    });
    const chat = await Chat.open(page);
    await expect(chat.badge).toHaveText('Stato: Demo');
    await expect(page.getByText(/^Modalità demo: collega il database per attivare la chat/)).toBeVisible();
    // Nothing moves because the banner shows.
    const moved = await page.evaluate(() => Number(document.documentElement.dataset.moved ?? 0));
    expect(moved).toBeLessThan(0.01);

    watch.expect(/status of 401.*\/session/);
    await page.goto('/paibeta/login');
    await expect(page.getByText(DEMO_PASSWORD)).toBeVisible();
    await page.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD);
    await page.getByRole('button', { name: 'Accedi al Pannello' }).click();
    const panel = new Panel(page);
    // Five of them are in work or closed, and wait for nothing.
    await expect(panel.rows).toHaveCount(3);
    await expect(panel.counter('in tutto')).toHaveText('8 in tutto');
    expect(server.log).not.toContain(DEMO_PASSWORD);
    await expect(readdir(server.folder)).resolves.toEqual([]);
  });
});

test('outside a demonstration nothing gives a password away', async ({ page, watch }) => {
  watch.expect(/status of 401.*\/session/);
  // The page stands before the answer that there is no session: the browser's word of it is waited for.
  const asked = page.waitForEvent('console', (message) => message.text().includes('401'));
  await page.goto('/paibeta/login');
  await asked;
  await expect(page.getByRole('button', { name: 'Accedi al Pannello' })).toBeVisible();
  expect(await page.content()).not.toContain(DEMO_PASSWORD);
});
