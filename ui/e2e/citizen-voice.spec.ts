/** A voice is recorded in the page, heard, attached, and arrives as it was. */
import { createHash } from 'node:crypto';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Chat } from './support/chat';
import { Line } from './support/line';
import { answersOf, giulia } from './support/people';
import { png } from './support/picture';
import { expectInSight, inEveryWindow } from './support/windows';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** A conversation at the account. */
async function atTheAccount(page: Page): Promise<Chat> {
  const chat = await Chat.open(page);
  for (const text of answersOf(giulia).slice(0, 6)) {
    await chat.answer(text);
  }
  return chat;
}

/** Records until the page has counted a few seconds. */
async function record(page: Page, until = '0:04'): Promise<void> {
  await button(page, 'Registra un vocale').click();
  await expect(page.getByText(until, { exact: true })).toBeVisible();
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

// The browser sends a request again by itself where a line that it had used before breaks; the server refuses what it has, and
// takes what it has not, so that the page hears of nothing.
const BROKEN = /net::ERR_|status of 409/;

test('a voice arrives to the byte over a line that breaks ten times', async ({ visit, api, watch }) => {
  watch.allow(BROKEN);
  const line = await Line.open(10);
  try {
    const page = await visit({ proxy: line.proxy, permissions: ['microphone'] });
    await page.addInitScript(() => {
      const make = URL.createObjectURL;
      URL.createObjectURL = (made) => {
        Object.assign(window, { recorded: made });
        return make(made);
      };
    });
    const chat = await atTheAccount(page);
    await record(page);
    await button(page, 'Ferma e riascolta').click();
    await expect(page.getByLabel('Il tuo vocale')).toBeAttached();
    const recorded = await page.evaluate(async () => {
      const { recorded } = window as unknown as { recorded: Blob };
      return [...new Uint8Array(await recorded.arrayBuffer())];
    });
    await button(page, 'Allega il vocale').click();
    await expect(page.getByText(/^Allegato, /)).toBeVisible({ timeout: 60_000 });
    expect(line.breaks).toBe(0);
    await chat.answer(giulia.segnalazione);
    await chat.finish();

    const { id, attachments } = await api.detailOf(giulia);
    expect(attachments).toMatchObject([{ type: 'audio/webm', size: recorded.length }]);
    expect(attachments?.[0]?.name).toMatch(/^vocale-[\d-]+\.webm$/);
    const answer = await api.fetch('GET', `/reports/${id}/attachments/1`);
    expect(answer.headers.get('content-type')).toBe('audio/webm');
    expect(sha256(new Uint8Array(await answer.arrayBuffer()))).toBe(sha256(new Uint8Array(recorded)));
  } finally {
    line.close();
  }
});

test('no request of a file is larger than a proxy lets through', async ({ visit, api, watch }) => {
  watch.allow(BROKEN);
  const line = await Line.open(1);
  try {
    const page = await visit({ proxy: line.proxy });
    const chat = await atTheAccount(page);
    const large = Buffer.concat([png(8, 8, [1, 2, 3]), Buffer.alloc(2_500_000, 'x')]);
    await page
      .getByLabel('Allega file')
      .setInputFiles({ name: 'grande.png', mimeType: 'image/png', buffer: large });
    await expect(page.getByText('Allegato, 2,5 MB', { exact: true })).toBeVisible();
    expect(line.breaks).toBe(0);
    const [first, ...others] = line.lengths;
    expect(Math.max(first ?? 0, ...others)).toBe(1024 * 1024);
    expect(others.length).toBeGreaterThanOrEqual(3);
    await chat.answer(giulia.segnalazione);
    await chat.finish();
    const { id } = await api.detailOf(giulia);
    const answer = await api.fetch('GET', `/reports/${id}/attachments/1`);
    expect(sha256(new Uint8Array(await answer.arrayBuffer()))).toBe(sha256(large));
  } finally {
    line.close();
  }
});

test('a browser that keeps its microphone says so, and the way on', async ({ page, watch }) => {
  // The browser of these tests asks nobody, and gives it.
  await page.addInitScript(() => {
    const { mediaDevices, permissions } = navigator;
    const ask = mediaDevices.getUserMedia.bind(mediaDevices);
    mediaDevices.getUserMedia = async (wanted) => {
      const { state } = await permissions.query({ name: 'microphone' as PermissionName });
      if (state !== 'granted') {
        throw new DOMException('Permission denied', 'NotAllowedError');
      }
      return ask(wanted);
    };
  });
  await atTheAccount(page);
  await button(page, 'Registra un vocale').click();
  await expect(page.getByRole('alert').filter({ hasText: 'microfono' })).toHaveText(
    /consentilo nelle impostazioni del sito, poi riprova.*registrare con un’altra app e allegare il file/,
  );
  await audit(page, 'a refused microphone');
  await page.context().grantPermissions(['microphone']);
  await button(page, 'Riprova').click();
  await expect(button(page, 'Pausa')).toBeVisible();
  expect(watch.warnings).toEqual([]);
});

test.describe('with a microphone', () => {
  test.use({ permissions: ['microphone'] });
  test('the recorder is in sight in every window', async ({ page }) => {
    await atTheAccount(page);
    await record(page, '0:01');
    const recorder = page.getByRole('region', { name: 'Vocale' });
    await expect(recorder).toBeFocused();
    await inEveryWindow(page, async () => {
      await expectInSight({
        'di 10 minuti': page.getByText(/di 10 minuti/),
        Pausa: button(page, 'Pausa'),
        'Ferma e riascolta': button(page, 'Ferma e riascolta'),
      });
      await expectNoSidewaysScroll(page, 'recording');
    });
    await button(page, 'Pausa').press('Enter');
    await expect(page.getByText(/di 10 minuti, in pausa/)).toBeVisible();
    await expect(button(page, 'Riprendi')).toBeFocused();
    await audit(page, 'a recording that pauses');
    await button(page, 'Ferma e riascolta').press('Enter');
    await inEveryWindow(page, () =>
      expectInSight({
        'Allega il vocale': button(page, 'Allega il vocale'),
        Rifai: button(page, 'Rifai'),
        Scarta: button(page, 'Scarta'),
      }),
    );
    await button(page, 'Riascolta').press('Enter');
    await expect(button(page, 'Ferma l’ascolto')).toBeFocused();
    const heard = () =>
      page.getByLabel('Il tuo vocale').evaluate((audio: HTMLAudioElement) => audio.currentTime);
    await expect.poll(heard).toBeGreaterThan(0);
    await button(page, 'Ferma l’ascolto').press('Enter');
    await audit(page, 'a voice to be heard');
    await button(page, 'Allega il vocale').press('Enter');
    await expect(page.getByText(/^Allegato, /)).toBeVisible();
    await expect(button(page, 'Allega un file')).toBeFocused();
    await inEveryWindow(page, () =>
      expectInSight({ 'Registra un vocale': button(page, 'Registra un vocale') }),
    );
  });
});
