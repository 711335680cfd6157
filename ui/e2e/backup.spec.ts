/** 'Crea Backup': the file that lands on the editor's disk. */
import { readFile } from 'node:fs/promises';
import { expect, test } from './fixtures';
import { giulia } from './support/people';

test('a backup is downloaded whole under its date, and noted', async ({ page, api, context, logIn }) => {
  const id = await api.tell(giulia);
  await logIn(context);
  await page.goto('/paibeta/admin/settings/system/backup');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Crea Backup' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^backup_pelazzai_\d{4}-\d{2}-\d{2}\.json$/);
  await expect(page.getByText('Backup creato e scaricato con successo!')).toBeVisible();
  const file = JSON.parse(await readFile(await download.path(), 'utf8')) as {
    format: string;
    reports: { id: string; cognome: string }[];
  };
  expect(file.format).toBe('segnalazioni-backup');
  expect(file.reports).toEqual([expect.objectContaining({ id, cognome: giulia.cognome })]);
  const logs = (await (await api.fetch('GET', '/logs')).json()) as { data: { action: string }[] };
  expect(logs.data[0]?.action).toBe('BACKUP');
});
