/** The analytics screen: what it shows is what was done. */
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { giulia, matteo } from './support/people';

test('is accessible empty, full and broken, on a desk and on a small phone', async ({
  page,
  api,
  panel,
  watch,
}) => {
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
