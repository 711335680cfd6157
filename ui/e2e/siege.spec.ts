/** Siege mode: the page proves its report, the panel tells of the siege, and what is alike is cleared in three clicks. */
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import type { Api } from './support/api';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Chat } from './support/chat';
import { Panel } from './support/panel';
import { giulia, matteo, nicolo, type Person, somebody } from './support/people';

/** Above half of it within ten minutes a siege begins. */
const EXPECTED_A_DAY = 6;

/** So many people who all tell the same. */
const crowd = (size: number, { segnalazione }: Person): Person[] =>
  Array.from({ length: size }, (_, number) => ({ ...somebody(number), segnalazione }));

/** A siege with five near copies, four of them from before it began. */
async function besiege(api: Api): Promise<void> {
  await api.saveSecurity({ maxReportsPerDay: EXPECTED_A_DAY });
  for (const person of crowd(5, giulia)) {
    await api.tell(person);
  }
}

const banner = (page: Page) => page.getByRole('status').filter({ hasText: 'Modalità assedio' });
const suspects = (page: Page, n: number) => page.getByText(`${n} segnalazioni sospette`, { exact: true });

test.beforeEach(async ({ api }) => {
  await besiege(api);
});

test('the page proves that nobody sends by the thousand, and the report arrives', async ({
  page,
  api,
  watch,
}) => {
  watch.expect(/status of 428/);
  const chat = await Chat.open(page);
  await chat.tell(matteo);
  // The proof is held back, so that what the page says meanwhile can be looked at.
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/chat\/turns$/, async (route) => {
    if (route.request().postDataJSON().proof) {
      await released;
    }
    await route.continue();
  });
  await chat.say('no');
  await expect(page.getByText(/^Un momento: stiamo verificando/).last()).toBeVisible();
  await audit(page, 'proving');
  await page.setViewportSize({ width: 320, height: 700 });
  await expectNoSidewaysScroll(page, 'proving');
  release();
  await expect(chat.closing).toBeVisible({ timeout: 60_000 });
  expect((await api.detailOf(matteo)).segnalazione).toBe(matteo.segnalazione);
});

test('banner, suspects and the log are accessible', async ({ page, api, panel }) => {
  for (const person of [matteo, ...crowd(3, nicolo)]) {
    await api.tell(person);
  }
  await panel.openList();
  await expect(banner(page)).toContainText('Copie messe da parte: 8.');
  await expect(suspects(page, 8)).toBeVisible();
  await audit(page, 'banner and suspects');
  await page.getByRole('button', { name: 'Cancella tutte' }).click();
  await audit(page, 'asking whether to erase');
  await page.getByRole('dialog').getByRole('button', { name: 'Annulla' }).click();
  await page.setViewportSize({ width: 320, height: 700 });
  await expectNoSidewaysScroll(page, 'banner and suspects');
  await page.goto('/paibeta/admin/settings/security/siege');
  await expect(panel.card('Assedi').getByRole('listitem')).toContainText('anche di poco prima: 8;');
  await audit(page, 'the log of sieges');
  await expectNoSidewaysScroll(page, 'the log of sieges');
});

test.describe('the panel', () => {
  test.beforeEach(async ({ context, logIn }) => {
    await logIn(context);
  });

  test('tells of it, and clears what is alike in three clicks', async ({ page, api }) => {
    await api.tell(matteo);
    await page.goto('/paibeta/admin/analytics');
    await expect(banner(page)).toContainText('Copie messe da parte: 5.');
    let clicks = 0;
    const click = async (what: Locator) => {
      await what.click();
      clicks += 1;
    };
    await click(page.getByRole('link', { name: 'Vai alle segnalazioni' }));
    const panel = new Panel(page);
    await expect(panel.rows).toHaveCount(1);
    await expect(panel.row(matteo)).toBeVisible();
    await expect(suspects(page, 5)).toBeVisible();
    await click(page.getByRole('button', { name: 'Cancella tutte' }));
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('5 segnalazioni sospette');
    await click(dialog.getByRole('button', { name: 'Cancella', exact: true }));
    await expect(page.getByText('Segnalazioni cancellate: 5.')).toBeVisible();
    expect(clicks).toBeLessThanOrEqual(3);
    await expect(suspects(page, 5)).toBeHidden();
    expect((await api.list()).counters.total).toBe(1);

    await page.goto('/paibeta/admin/settings/security/siege');
    const log = panel.card('Assedi').getByRole('listitem');
    await expect(log).toContainText('Oltre metà della soglia in dieci minuti');
    await expect(log).toContainText('anche di poco prima: 5 (cancellate: 5);');
  });

  test('shows what was set aside, and puts it back with one click', async ({ page, api }) => {
    await api.tell(matteo);
    const panel = new Panel(page);
    await panel.openList();
    await expect(panel.rows).toHaveCount(1);
    await page.getByRole('button', { name: 'Mostra', exact: true }).click();
    await expect(panel.rows).toHaveCount(5);
    await expect(panel.row(matteo)).toBeHidden();
    await page.getByRole('button', { name: 'Ripristina tutte' }).click();
    await expect(page.getByText('Segnalazioni ripristinate: 5.')).toBeVisible();
    await page.getByRole('button', { name: 'Torna all’elenco' }).click();
    await expect(panel.rows).toHaveCount(6);
    // What an editor has found real is not set aside again; other copies are, and are archived together.
    for (const person of [...crowd(1, giulia), ...crowd(3, nicolo)]) {
      await api.tell(person);
    }
    await expect(suspects(page, 3)).toBeVisible();
    await page.getByRole('button', { name: 'Archivia tutte' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archivia' }).click();
    await expect(page.getByText('Segnalazioni archiviate: 3.')).toBeVisible();
    expect((await api.list('?stato=Archiviata')).data).toHaveLength(3);
  });
});
