/** Many reports at once, labels, and a report that came by telephone. */
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Panel } from './support/panel';
import { giulia, matteo, somebody } from './support/people';

test.beforeEach(async ({ context, logIn }) => {
  await logIn(context);
});

test('twenty reports are set in five actions, and undone in one', async ({ page, api }) => {
  await api.tellMany(Array.from({ length: 20 }, (_, number) => somebody(number)));
  const panel = new Panel(page);
  await panel.openList();
  const boxes = page.getByRole('checkbox', { name: /^Seleziona la segnalazione di/ });
  await expect(boxes).toHaveCount(20);
  await boxes.first().click();
  await boxes.last().click({ modifiers: ['Shift'] });
  const bar = page.getByRole('region', { name: 'Modifica insieme' });
  await expect(bar).toContainText('20 selezionate');
  await audit(page, 'selection');
  await expectNoSidewaysScroll(page, 'selection');
  await bar.getByRole('button', { name: 'Stato' }).click();
  await audit(page, 'choice of a status');
  await page.getByRole('listbox').getByRole('option', { name: 'Risolta' }).click();
  await expect(page.getByRole('status').getByText('20 segnalazioni risolte')).toBeVisible();
  await expect.poll(async () => (await api.list()).counters).toMatchObject({ new: 0, resolved: 20 });
  await audit(page, 'outcome');
  await page.keyboard.press('z');
  await expect.poll(async () => (await api.list()).counters).toMatchObject({ new: 20, resolved: 0 });
});

test('several are put off at once, and taken back into the list by one button', async ({ page, api }) => {
  await api.tell(giulia);
  await api.tell(matteo);
  await new Panel(page).openList();
  await page.getByRole('checkbox', { name: /Seleziona .* Giulia/ }).click();
  await page.getByRole('checkbox', { name: /Seleziona .* Matteo/ }).click();
  const bar = page.getByRole('region', { name: 'Modifica insieme' });
  await bar.getByRole('button', { name: 'Rinvia' }).click();
  await page.getByRole('option', { name: 'Domani mattina' }).click();
  await expect(page.getByText('Nessuna segnalazione trovata')).toBeInViewport();
  await page.getByRole('button', { name: 'Annulla' }).click();
  await expect(page.getByRole('rowheader', { name: /Giulia/ })).toBeInViewport();
  expect((await api.list()).data.map(({ snoozedUntil }) => snoozedUntil)).toEqual([null, null]);
});

test('a label is made at a report, and shown in the list', async ({ page, api }) => {
  await api.tell(giulia);
  const panel = new Panel(page);
  await panel.openList();
  await panel.rows.first().getByRole('link').first().click();
  await panel.facts.getByTitle('Etichette (l)').click();
  const dialog = page.getByRole('dialog', { name: 'Etichette della segnalazione' });
  await dialog.getByRole('textbox', { name: 'Nuova etichetta' }).fill('Da verificare');
  await dialog.getByLabel('Colore').selectOption('rosso');
  await dialog.getByRole('button', { name: 'Aggiungi' }).click();
  await expect(dialog.getByRole('checkbox', { name: 'Da verificare' })).toBeChecked();
  await audit(page, 'labels');
  await dialog.getByRole('button', { name: 'Chiudi' }).click();
  await expect(page.getByRole('region', { name: 'Stato e reparto' })).toContainText('Da verificare');
  await panel.openList();
  await expect(panel.rows.first()).toContainText('Da verificare');
});

test('a report by telephone is taken down, with errors at their fields', async ({ page, watch }) => {
  watch.expect(/status of 422/);
  const panel = new Panel(page);
  await panel.openList();
  await page.getByRole('button', { name: 'Nuova segnalazione' }).click();
  const dialog = page.getByRole('dialog', { name: 'Nuova segnalazione' });
  await expect(dialog.getByLabel('Racconto')).toBeFocused();
  await page.setViewportSize({ width: 1366, height: 650 });
  expect(await dialog.evaluate((one) => one.scrollHeight - one.clientHeight)).toBe(0);
  await dialog.getByLabel('Racconto').fill('Troppo breve.');
  await dialog.getByLabel('Telefono').fill('12');
  await dialog.getByRole('button', { name: 'Salva' }).click();
  await expect(dialog.getByLabel('Nome', { exact: true })).toHaveAttribute('aria-invalid', 'true');
  await expect(dialog.getByText('Scrivi almeno il nome, o come chiamare questa persona.')).toBeInViewport();
  await expect(dialog.getByLabel('Telefono')).toHaveAttribute('aria-invalid', 'true');
  await expect(dialog.getByLabel('Racconto')).not.toHaveAttribute('aria-invalid', 'true');
  await audit(page, 'entry');
  await expectNoSidewaysScroll(page, 'entry');
  await dialog.getByLabel('Nome', { exact: true }).fill('Ida');
  await dialog.getByLabel('Telefono').fill('');
  await dialog.getByRole('button', { name: 'Salva' }).click();
  await expect(panel.name).toHaveText('Ida');
});
