/** How the installation is: examined on demand, and backups that are not in order are shouted about on every page. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';

test('the state of the system is seen, examined again and alarming where it must be', async ({
  page,
  api,
  context,
  logIn,
  server,
}) => {
  const backups = async () =>
    (await (await api.fetch('GET', '/system/backups')).json()) as { rehearsal: object | null };
  // The first backup and its rehearsal are made as soon as there is a password.
  await expect.poll(async () => (await backups()).rehearsal).not.toBeNull();
  await logIn(context);
  await page.goto('/paibeta/admin/settings/system/health');
  const card = page.getByRole('main');
  const rows = card.getByRole('list', { name: 'Controlli' }).getByRole('listitem');
  await expect(rows).toHaveCount(14);
  await expect(rows.filter({ hasText: /^Archivio/ })).toContainText('A posto');
  await expect(rows.filter({ hasText: /^Server di posta/ })).toContainText('Attenzione');
  await audit(page, 'a healthy installation');

  const memory = join(server.folder, 'data/backups/stato.json');
  const known = JSON.parse(await readFile(memory, 'utf8')) as { rehearsal: object };
  Object.assign(known.rehearsal, {
    ok: false,
    message: 'la segnalazione più recente non si apre',
    opened: null,
  });
  await writeFile(memory, JSON.stringify(known), { mode: 0o600 });
  await card.getByRole('button', { name: 'Ricontrolla' }).click();
  await expect(rows.filter({ hasText: /^Backup/ })).toContainText('Errore');
  await expect(page.getByText('Qualcosa non funziona: leggi che cosa fare.')).toBeVisible();
  await expect(rows.filter({ hasText: /^Backup/ }).getByRole('link')).toHaveAttribute(
    'href',
    '/paibeta/admin/settings/system/backup',
  );

  await page.goto('/paibeta/admin/reports');
  const banner = page.getByRole('link', { name: 'Vai ai backup' });
  await expect(banner).toBeVisible();
  await banner.click();
  await expect(page.getByText(/^La prova di ripristino è fallita: la segnalazione/)).toBeVisible();
  await page.getByText('backup conservat').click();
  await expect(page.getByText('Integro', { exact: true })).toBeVisible();
  await audit(page, 'backups that cannot be gone back to');
  for (const address of ['backup', 'health']) {
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(`/paibeta/admin/settings/system/${address}`);
    await expect(card.getByRole('button').first()).toBeVisible();
    await expectNoSidewaysScroll(page, `the state of the system, ${address}`);
  }
});
