/** Sealed mode, from the question to the next login: the key leaves the server, and the reports stay readable. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './fixtures';
import { type Api, PASSWORD } from './support/api';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Panel } from './support/panel';
import { giulia } from './support/people';
import type { Server } from './support/server';

test.use({ kind: 'empty', viewport: { width: 320, height: 640 } });

/** Sets the first password; the recovery code. */
async function setUp(server: Server, api: Api): Promise<string> {
  const token = new URL(server.setupLink).hash.slice(1);
  const asked = { token, password: PASSWORD };
  const shown = await api.fetch('POST', '/setup/recovery-code', asked);
  const { recoveryCode } = (await shown.json()) as { recoveryCode: string };
  const set = await api.fetch('POST', '/setup', { ...asked, recoveryCode });
  expect(set.status).toBe(204);
  return recoveryCode;
}

test('the archive is sealed with its code, and read after the next login', async ({
  page,
  api,
  context,
  logIn,
  server,
  watch,
}) => {
  watch.expect(/status of 422/);
  const keys = () => readFile(join(server.folder, 'data/segnalazioni.key'), 'utf8');
  const code = await setUp(server, api);
  const id = await api.tell(giulia);
  await logIn(context);
  const panel = new Panel(page);
  await page.goto('/paibeta/admin/settings/security/sealed');
  const card = page.getByRole('main');
  await expect(card).toContainText('Non attiva');
  await card.getByRole('button', { name: 'Attiva la modalità sigillata' }).click();
  await audit(page, 'about to seal');
  await page.getByRole('button', { name: 'Continua' }).click();
  await card.getByLabel('Codice di recupero').fill('non è questo');
  await card.getByRole('button', { name: 'Sigilla' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sigilla' }).click();
  await expect(card).toContainText('Il codice non è scritto correttamente');
  await audit(page, 'a code refused');
  expect(await keys()).toContain('\nnewsroom ');
  await card.getByLabel('Codice di recupero').fill(code);
  await card.getByRole('button', { name: 'Sigilla' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sigilla' }).click();
  await expect(card).toContainText('Modalità sigillata attivata.');
  expect(await keys()).not.toContain('\nnewsroom ');
  await audit(page, 'sealed');
  await expectNoSidewaysScroll(page, 'sealed');

  // A page that asks between the restart and the login would be told that nothing can be read.
  await page.goto('about:blank');
  await server.kill();
  await server.restart();
  await logIn(context);
  await panel.openReport(id);
  await expect(page.getByText(giulia.cognome).first()).toBeVisible();
});
