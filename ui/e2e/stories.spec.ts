/** Storie: what belongs together is one thing, with one message to all of it. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Panel } from './support/panel';
import { giulia, matteo, nicolo } from './support/people';
import { expectInSight } from './support/windows';

const WINDOWS = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
] as const;

test.beforeEach(async ({ context, logIn }) => {
  await logIn(context);
});

async function makeStory(page: Page, title: string): Promise<void> {
  await new Panel(page).openList();
  await page.getByRole('checkbox', { name: /Seleziona .* Giulia/ }).click();
  await page.getByRole('checkbox', { name: /Seleziona .* Matteo/ }).click();
  const bar = page.getByRole('region', { name: 'Modifica insieme' });
  await bar.getByRole('button', { name: 'Storia' }).click();
  await page.getByRole('option', { name: 'Nuova storia…' }).click();
  await page.getByRole('textbox', { name: 'Titolo' }).fill(title);
  await audit(page, 'a new story');
  await page.keyboard.press('Enter');
  await expect(new Panel(page).heading(title)).toBeVisible();
}

test('a selection becomes a story, is written to and read, and each page says so', async ({ page, api }) => {
  const { code } = await api.tellForCode(giulia);
  await api.tell(matteo);
  const entered = { nome: 'Rita', cognome: 'Galli', segnalazione: 'Lo stesso racconto, al telefono.' };
  await api.fetch('POST', '/reports', { ...entered, origine: 'telefono' });
  await makeStory(page, 'La mensa di via Bixio');
  const panel = new Panel(page);
  for (const window of WINDOWS) {
    await page.setViewportSize(window);
    await expectInSight({
      title: panel.heading('La mensa di via Bixio'),
      size: page.getByText('2 segnalazioni · tutte in sette giorni'),
      write: page.getByRole('button', { name: 'Scrivi a tutti' }),
      reports: panel.rows.nth(1),
    });
    await audit(page, `a story, ${window.width}`);
  }
  await page.setViewportSize({ width: 320, height: 568 });
  await expectNoSidewaysScroll(page, 'a story');
  await page.setViewportSize({ width: 1280, height: 800 });

  // By hand one more, who cannot be written to.
  await panel.openList();
  await page.getByRole('checkbox', { name: /Seleziona .* Rita/ }).click();
  await page.keyboard.press('s');
  await page.getByRole('option', { name: 'Aggiungi a «La mensa di via Bixio»' }).click();
  await expect(page.getByText('1 segnalazione modificata.').first()).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  const list = page.getByRole('list', { name: 'Storie' });
  await expect(list.getByText('3 segnalazioni · tutte in sette giorni')).toBeInViewport();
  await audit(page, 'the stories');
  await list.getByRole('link', { name: 'La mensa di via Bixio' }).click();
  await expect(panel.rows).toHaveCount(3);
  await page.keyboard.press('w');
  await page.getByLabel('Messaggio').fill('In che giorno è successo?');
  await audit(page, 'a message to all');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('Inviato a 2 · La mensa di via Bixio')).toBeInViewport();
  await expect(page.getByText('Rita Galli:')).toBeInViewport();
  await expect(page.getByText('Letto da 0, risposto da 0')).toBeVisible();
  await audit(page, 'what became of a message to all');

  await api.fetch('POST', '/receipts/messages', { code });
  await page.reload();
  const read = page.getByText(/^Letto da/);
  await read.click();
  await expect(page.getByRole('row', { name: /Giulia Ferraro/ }).last()).toBeVisible();
  await audit(page, 'who has read');

  await panel.openList();
  await panel.open(giulia);
  await expect(page.getByRole('link', { name: '«La mensa di via Bixio»' })).toBeInViewport();
  await audit(page, 'a report of a story');
});

test('a story is renamed, loses a report, and is dissolved', async ({ page, api }) => {
  await api.tell(giulia);
  await api.tell(matteo);
  await api.tell(nicolo);
  await makeStory(page, 'Due cose');
  await page.getByRole('textbox', { name: 'Titolo' }).fill('Una cosa sola');
  await page.getByRole('textbox', { name: 'Note' }).fill('Da sentire lunedì.');
  await page.getByRole('button', { name: 'Salva', exact: true }).click();
  await expect(new Panel(page).heading('Una cosa sola')).toBeVisible();
  await page.getByRole('link', { name: 'Apri nell’elenco' }).click();
  const chip = page.getByRole('button', { name: 'Storia «Una cosa sola» 2' });
  await expect(chip).toHaveAttribute('aria-pressed', 'true');
  const panel = new Panel(page);
  await expect(panel.rows).toHaveCount(2);
  await page.getByRole('checkbox', { name: /Seleziona .* Matteo/ }).click();
  await page.keyboard.press('s');
  await page.getByRole('option', { name: 'Togli dalla storia' }).click();
  await expect(panel.rows).toHaveCount(1);
  await page.getByRole('button', { name: 'Annulla la modifica' }).click();
  await expect(panel.rows).toHaveCount(2);
  await chip.click();
  await expect(panel.rows).toHaveCount(3);

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('cosa sola');
  await page.getByRole('option', { name: /Una cosa sola/ }).click();
  await page.getByRole('button', { name: 'Sciogli la storia' }).click();
  await page.getByRole('button', { name: 'Sciogli', exact: true }).click();
  await expect(page.getByText(/Nessuna, per ora/)).toBeVisible();
  expect((await api.list()).data.map(({ story }) => story)).toEqual([null, null, null]);
});
