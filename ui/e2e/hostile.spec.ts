/**
 * Sixty texts that may be sent to do harm, in every field of a report, as an editor meets them. Any request to
 * elsewhere, any refusal of the content policy and any error in the console fails these tests by itself.
 */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { makePrintable } from '../src/admin/pdf/printable';
import { coverageOf, newDocument } from '../src/admin/pdf/record';
import { readPdf } from '../src/admin/testing/read-pdf';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Panel } from './support/panel';
import { giulia, type Person } from './support/people';
import { soakUnless } from './support/windows';

interface Payload {
  name: string;
  text: string;
  /** What is kept of it, where that differs. */
  stored?: string;
}

const FILLER =
  'e poi un racconto abbastanza lungo da bastare, con molte parole e nessun pericolo per chi lo legge domani.';

const { payloads } = JSON.parse(
  await readFile(new URL('../../tests/vectors/hostile.json', import.meta.url), 'utf8'),
) as { payloads: Payload[] };
const font = await readFile(new URL('../src/admin/pdf/font/record-font.ttf', import.meta.url));
const covers = coverageOf(newDocument(new Uint8Array(font).buffer));

const kept = ({ stored, text }: Payload) => stored ?? text;
/** What no name has: a digit is a slip, and what stands behind a comma is asked back. */
const NO_NAME = /[\p{N},;]/gu;
const line = (payload: Payload) => kept(payload).replace(NO_NAME, '').trim().split(/\s+/u).join(' ');
/** What of it an e-mail address may hold. */
const address = (payload: Payload) =>
  `${kept(payload).replace(/[^\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]/gu, '')}x@esempio.example`;

function personOf(payload: Payload): Person {
  const sent = payload.text.trimEnd();
  return {
    ...giulia,
    nome: payload.text.replace(NO_NAME, ''),
    cognome: payload.text.replace(NO_NAME, ''),
    email: address(payload),
    indirizzo: `${sent} via della Prova`,
    segnalazione: `${sent} ${FILLER}`,
  };
}

const accountOf = (payload: Payload) =>
  `${kept(payload)} ${FILLER}\n\nINFORMAZIONI AGGIUNTIVE\n${kept(payload)}`;

/** Dialogs that a page opened by itself: none may. */
function dialogsOf(page: Page): string[] {
  const opened: string[] = [];
  page.on('dialog', (dialog) => {
    opened.push(dialog.message());
    void dialog.dismiss();
  });
  return opened;
}

/** Text without what setting it in lines may change. */
const flat = (text: string) => text.replace(/[\s|]/gu, '');

/** What the record must say, with a sign for what its font lacks. */
const printed = (text: string) => flat(makePrintable(text, covers).text);

async function recordOf(page: Page): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), new Panel(page).more('Stampa PDF')]);
  const { pages } = await readPdf(new Uint8Array(await readFile(await download.path())));
  return { name: download.suggestedFilename(), text: flat(pages.flat().join('')) };
}

test('the list is sixty', () => {
  expect(payloads).toHaveLength(60);
});

/** What may be lost or do harm on the way into a file too: the others are for `make soak`. */
const ALWAYS = ['script', 'path', 'formula that calls', 'direction overrides', 'zero width', 'pictures'];
const inTurn = payloads.toSorted((a, b) => Number(ALWAYS.includes(b.name)) - Number(ALWAYS.includes(a.name)));

// In parts, so that no test runs long on a slow machine.
for (let part = 0; part * ALWAYS.length < payloads.length; part += 1) {
  const tag = soakUnless(part === 0);
  test(`each is text in the report, its form and its record, part ${part + 1}`, { tag }, async ({
    page,
    api,
    panel,
  }) => {
    const dialogs = dialogsOf(page);
    for (const payload of inTurn.slice(part * ALWAYS.length, (part + 1) * ALWAYS.length)) {
      await test.step(payload.name, async () => {
        const id = await api.tell(personOf(payload), payload.text);
        await api.change(id, { note: payload.text });
        await panel.openReport(id);
        const name = `${line(payload)} ${line(payload)}`;
        const account = accountOf(payload);
        const shown = {
          'Nome Completo': name,
          Email: address(payload),
          Indirizzo: `${kept(payload)} via della Prova`,
        };
        await panel.unfold('Dati Personali');
        for (const [fact, value] of Object.entries(shown)) {
          expect(await panel.fact(fact).textContent(), fact).toBe(value);
        }
        const card = panel.card('Testo della Segnalazione');
        expect(await card.getByText(FILLER).textContent()).toBe(account);
        await expect(panel.note).toHaveValue(kept(payload));
        const record = await recordOf(page);
        for (const text of [...Object.values(shown), account, kept(payload)]) {
          expect(record.text).toContain(printed(text));
        }
        expect(record.name).toMatch(new RegExp(`^segnalazione_${id}_?[^/\\\\:*?"<>|\\p{C}]*\\.pdf$`, 'u'));
      });
    }
    await expectNoSidewaysScroll(page, 'a hostile report');
    await audit(page, 'a hostile report');
    expect(dialogs).toEqual([]);
  });
}

test('each is text in the list, where it is found and marked', async ({ page, api, panel }) => {
  const dialogs = dialogsOf(page);
  await api.tellMany(payloads.map(personOf));
  const wanted = payloads.map(
    (payload) => `${line(payload)} ${line(payload)}, apri la segnalazione (da leggere)`,
  );
  const seen: (string | null)[] = [];
  await panel.openList();
  await expect(panel.rows).toHaveCount(50);
  seen.push(...(await page.getByRole('rowheader').allTextContents()));
  await audit(page, 'a hostile list');
  await page.getByRole('link', { name: 'Successiva' }).click();
  await expect(panel.rows).toHaveCount(10);
  seen.push(...(await page.getByRole('rowheader').allTextContents()));
  expect([...seen].sort()).toEqual([...wanted].sort());

  for (const payload of payloads.filter(({ name }) => /^(script|formula|query|end of a)/.test(name))) {
    await panel.openList(`?search=${encodeURIComponent(line(payload).slice(0, 40))}`);
    const row = panel.rows.filter({ hasText: `${line(payload)} ${line(payload)}` });
    await expect(row.first()).toBeVisible();
    await expect(row.first().locator('mark').first()).toBeVisible();
  }
  await page.setViewportSize({ width: 320, height: 740 });
  await panel.openList();
  await expect(panel.rows).toHaveCount(50);
  await expectNoSidewaysScroll(page, 'a hostile list');
  expect(dialogs).toEqual([]);
});

test('an account of 20,000 characters is shown and printed to the last', async ({ page, api, panel }) => {
  const words = Array.from({ length: 5000 }, (_, index) => `<b>${index}`).join(' ');
  const account = words.slice(0, 19_999).trimEnd().padEnd(20_000, '!');
  const id = await api.tell({ ...giulia, segnalazione: account });
  await panel.openReport(id);
  const card = panel.card('Testo della Segnalazione');
  await expect(card).toContainText('20.000 caratteri');
  expect(await card.getByRole('paragraph').first().textContent()).toBe(account);
  const record = await recordOf(page);
  // Each page after the first has a head of its own, and all of them a foot.
  expect(record.text).toContain(flat(account.slice(0, 400)));
  expect(record.text).toContain(flat(account.slice(-200)));
  await page.setViewportSize({ width: 320, height: 740 });
  await expectNoSidewaysScroll(page, 'a long account');
});
