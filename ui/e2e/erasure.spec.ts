/** A report that somebody wants gone: asked twice, gone for everybody, and nothing of it comes back. */
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Panel } from './support/panel';
import { giulia, matteo } from './support/people';

test('an editor erases the reports of a person, while another one has one of them open', async ({
  page,
  api,
  context,
  panel,
  watch,
}) => {
  watch.expect(/status of 410/);
  const again = await api.tell({ ...giulia, nome: 'G.', telefono: '333 999 8877' });
  await api.tell(matteo);
  const id = await api.tell(giulia);
  await panel.openReport(id);
  const colleague = await context.newPage();
  const other = new Panel(colleague);
  await other.openReport(again);

  await panel.unfold('Cancellazione');
  await page.getByRole('button', { name: 'Cancella tutte quelle di questa persona…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Cancella le segnalazioni di questa persona' });
  await expect(dialog.getByRole('listitem').filter({ hasText: 'stessa email' })).toHaveCount(2);
  await audit(page, 'question');
  await page.setViewportSize({ width: 320, height: 568 });
  await expectNoSidewaysScroll(page, 'question on a phone');
  await page.setViewportSize({ width: 1280, height: 800 });
  const word = dialog.getByLabel('Per confermare scrivi CANCELLA');
  await word.fill('cancellare');
  await word.press('Enter');
  await expect(dialog.getByText('Scrivi CANCELLA per confermare.')).toBeVisible();
  await word.fill('CANCELLA');
  await word.press('Enter');

  await expect(panel.heading('Segnalazioni')).toBeVisible();
  await expect(page.getByText('2 segnalazioni cancellate', { exact: true })).toBeVisible();
  await expect(panel.rows).toHaveCount(1);
  await expect(panel.row(matteo)).toBeVisible();
  await expect(other.heading('Segnalazione cancellata')).toBeVisible();
  await audit(colleague, 'erased report');
  await page.goto(`/paibeta/admin/reports/${id}`);
  await expect(panel.heading('Segnalazione cancellata')).toBeVisible();
});
