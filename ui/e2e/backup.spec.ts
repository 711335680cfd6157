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

test('a backup that breaks off is not saved, and said so', async ({ page, context, logIn, watch }) => {
  await logIn(context);
  await page.goto('/paibeta/admin/settings/system/backup');
  await page.route(/\/api\/backup$/, (route) =>
    route.fulfill({
      headers: { 'content-disposition': 'attachment; filename="backup_x.json"' },
      body: '{"format":"segnalazioni-backup","reports":[{"id":"1"',
    }),
  );
  let saved = 0;
  page.on('download', () => {
    saved += 1;
  });
  await page.getByRole('button', { name: 'Crea Backup' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'Errore durante la creazione del backup' });
  await expect(alert).toContainText('Il file è arrivato incompleto e non è stato salvato.');
  expect(saved).toBe(0);
  await page.unroute(/\/api\/backup$/);
  watch.expect(/status of 500/);
  await page.route(/\/api\/backup$/, (route) => route.fulfill({ status: 500 }));
  await page.getByRole('button', { name: 'Crea Backup' }).click();
  await expect(alert).toContainText('Si è verificato un errore. Riprova.');
});

test('how often the server backs up by itself is chosen and saved', async ({ page, api, context, logIn }) => {
  await logIn(context);
  await page.goto('/paibeta/admin/settings/system/backup');
  await page.getByLabel('Backup automatico').selectOption('Ogni giorno');
  await page.getByRole('button', { name: 'Salva Modifiche' }).click();
  await expect(page.getByText('Impostazioni di sistema salvate con successo!')).toBeVisible();
  const system = await (await api.fetch('GET', '/settings/system')).json();
  expect(system).toMatchObject({ backupFrequency: 'daily' });
});
