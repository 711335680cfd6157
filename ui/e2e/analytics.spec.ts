/** The analytics screen: what it shows is what was done. */
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Panel } from './support/panel';
import { giulia, matteo, nicolo } from './support/people';

test('counts what came in and what became of it, and leads to it', async ({ page, api, context, logIn }) => {
  await api.change(await api.tell(giulia), { stato: 'Risolta' });
  await api.change(await api.tell(matteo), { stato: 'In lavorazione' });
  const last = await api.tell(nicolo);
  await logIn(context);
  const panel = new Panel(page);
  await panel.openList();
  await page.getByRole('link', { name: 'Analytics' }).click();
  await expect(panel.heading('Analytics')).toBeFocused();
  const summary = page.getByRole('list', { name: 'Riepilogo' });
  await expect(summary.getByRole('link')).toContainText([
    /Totale Segnalazioni3/,
    /Nuove1Richiedono attenzione/,
    /In Lavorazione1In corso di gestione/,
    /Risolte1Completate con successo/,
  ]);
  await expect(summary.getByRole('link').first()).toContainText('3 questo mese, 0 un mese fa');
  await expect(panel.card('Distribuzione per stato')).toContainText('Risolta1 (33,3%)');
  await expect(panel.card('Tempi e risultati')).toContainText('Tasso di Risoluzione33,3%');
  const recent = panel.card('Attività Recente').getByRole('listitem');
  await expect(recent).toHaveCount(3);
  await expect(recent.first()).toContainText(`${nicolo.nome} ${nicolo.cognome}`);
  await expect(recent.first()).toContainText('Nuova');

  const day = panel.card('Segnalazioni al giorno');
  await expect(day.getByRole('img')).toHaveAccessibleName(/: 3 in tutto/);
  await day.getByText('Mostra come tabella').click();
  await expect(day.getByRole('row')).toHaveCount(31);
  await expect(day.getByRole('row').nth(1).getByRole('cell')).toHaveText('3');

  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'CSV, ultime 48 ore' }).click();
  expect((await download).suggestedFilename()).toMatch(/^numeri_pelazzai_.*\.csv$/);
  await page.getByLabel('Periodo').selectOption('7');
  await expect(day.getByRole('row')).toHaveCount(8);
  await page.reload();
  await expect(page.getByLabel('Periodo')).toHaveValue('7');

  await recent.first().getByRole('link').click();
  await expect(page).toHaveURL(/reports\/.{36}/);
  expect(page.url()).toContain(last);
  await page.goBack();
  await summary.getByRole('link', { name: /In Lavorazione/ }).click();
  await expect(panel.rows).toHaveCount(1);
});

test('is accessible empty, full and broken, on a desk and on a small phone', async ({
  page,
  api,
  context,
  logIn,
  watch,
}) => {
  await logIn(context);
  const panel = new Panel(page);
  await page.goto('/paibeta/admin/analytics');
  await expect(page.getByText('Nessuna conversazione iniziata in questi giorni.')).toBeVisible();
  await audit(page, 'no figures');
  await api.change(await api.tell(giulia), { stato: 'Risolta' });
  await api.tell(matteo);
  await page.reload();
  await expect(panel.card('Attività Recente').getByRole('listitem')).toHaveCount(2);
  for (const fold of await page.getByText('Mostra come tabella').all()) {
    await fold.click();
  }
  await audit(page, 'figures');
  await page.setViewportSize({ width: 320, height: 568 });
  await expectNoSidewaysScroll(page, 'figures');
  await audit(page, 'figures on a phone');
  watch.expect(/status of 500/);
  await page.route(/\/api\/analytics/, (route) => route.fulfill({ status: 500 }));
  await page.reload();
  await expect(page.getByRole('alert')).toContainText('Non è stato possibile calcolare le statistiche');
  await audit(page, 'figures missing');
});
