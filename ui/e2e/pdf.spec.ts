/** The PDF record: made in the page on request, read back by another program, noted by the server. */
import { readFile } from 'node:fs/promises';
import type { Download, Page } from '@playwright/test';
import { type PdfText, readPdf } from '../src/admin/testing/read-pdf';
import { expect, test } from './fixtures';
import { audit } from './support/audit';
import { Panel } from './support/panel';
import { giulia, type Person } from './support/people';

const ANNOUNCED = 'Stampata dal pannello il ';

const stefan: Person = {
  ...giulia,
  nome: 'Ștefan Gëzim',
  cognome: 'D’Angelo Çela',
  indirizzo: 'Piazza Verità 3, Forlì (€)',
  segnalazione:
    'È successo già: “così è”, disse l’assessore 😀. Più tardi Țîrlea ha pagato 5 € – perché? Lo sa solo lui… 👩🏽‍🚒 漢字',
};

const print = (page: Page) => new Panel(page).more('Stampa PDF');

async function pdfOf(page: Page): Promise<{ download: Download; pdf: PdfText }> {
  const [download] = await Promise.all([page.waitForEvent('download'), print(page)]);
  const bytes = new Uint8Array(await readFile(await download.path()));
  return { download, pdf: await readPdf(bytes) };
}

test.beforeEach(async ({ context, logIn }) => {
  await logIn(context);
});

test('the record says all there is, accents and all, and replaces visibly what it cannot print', async ({
  page,
  api,
}) => {
  const id = await api.tell(stefan);
  const panel = new Panel(page);
  await panel.openReport(id);
  const { download, pdf } = await pdfOf(page);
  expect(download.suggestedFilename()).toBe(`segnalazione_${id}_Ștefan_Gëzim_D’Angelo_Çela.pdf`);
  const [lines = []] = pdf.pages;
  expect(lines.slice(0, 2)).toEqual(['PelazzAI – Scheda Segnalazione', `ID Segnalazione | ${id}`]);
  expect(lines).toContain(
    `Data Ricezione | ${(await page.getByText(/^Ricevuta il \d/).textContent())?.replace('Ricevuta il ', '')}`,
  );
  expect(lines).toContain('Stato Attuale | Nuova');
  expect(lines).toContain('Nome Completo | Ștefan Gëzim D’Angelo Çela');
  expect(lines).toContain('Telefono | 3331234567');
  expect(lines).toContain(`Email | ${stefan.email}`);
  expect(lines).toContain('Indirizzo | Piazza Verità 3, Forlì (€)');
  expect(lines.join(' ')).toContain(
    'È successo già: “così è”, disse l’assessore [emoji]. Più tardi Țîrlea ha pagato 5 € – perché? Lo sa solo lui… [emoji] □□',
  );
  expect(lines).not.toContain('Note Interne');
  expect(lines.at(-1)).toContain(ANNOUNCED);
  expect(new Set(pdf.fonts).size).toBe(1);
});

test('notes are in it once they are saved; unsaved changes are not, and the page says so', async ({
  page,
  api,
}) => {
  const id = await api.tell(giulia);
  await api.change(id, { note: 'Richiamare giovedì.' });
  const panel = new Panel(page);
  await panel.openReport(id);
  await panel.note.fill('Bozza.');
  const { pdf } = await pdfOf(page);
  const [lines = []] = pdf.pages;
  expect(lines.slice(-3, -1)).toEqual(['Note Interne', 'Richiamare giovedì.']);
  expect(lines.join()).not.toContain('Bozza');
  await expect(page.getByText('Scheda PDF scaricata, senza le modifiche non ancora salvate.')).toBeVisible();
  await expect(panel.note).toHaveValue('Bozza.');
});

test('nothing of it loads before the click; the server notes the export', async ({ page, api }) => {
  const id = await api.tell(giulia);
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
  const panel = new Panel(page);
  await panel.openReport(id);
  await page.waitForLoadState('networkidle');
  const ours = (path: string) => /make-record|record-font/.test(path);
  expect(loaded.filter(ours)).toEqual([]);
  await pdfOf(page);
  expect(loaded.filter(ours)).toHaveLength(2);
  await expect(page.getByText('Scheda PDF scaricata.')).toBeVisible();
  await expect(panel.card('Cronologia')).toContainText('Segnalazione esportata');
  const log = await (await api.fetch('GET', '/logs?limit=50')).json();
  const entries = JSON.stringify(log);
  expect(entries).toContain('EXPORT_PDF');
  expect(entries).not.toContain(giulia.cognome);
});

test('what the server could not note is not handed out, and can be tried again', async ({
  page,
  api,
  watch,
}) => {
  watch.expect(/status of 507/);
  const id = await api.tell(giulia);
  await new Panel(page).openReport(id);
  const downloads: Download[] = [];
  page.on('download', (download) => downloads.push(download));
  const problem = {
    type: 'urn:segnalazioni:problem:spazio-esaurito',
    title: 'x',
    status: 507,
    detail: 'Disco pieno.',
  };
  await page.route(/\/exports$/, (route) =>
    route.fulfill({ status: 507, json: problem, contentType: 'application/problem+json' }),
  );
  await print(page);
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('Scheda PDF non creata');
  await expect(alert).toContainText('Disco pieno.');
  expect(downloads).toEqual([]);
  await audit(page, 'record failed');
  await page.unroute(/\/exports$/);
  await pdfOf(page);
  await expect(alert).toBeHidden();
});

test('a part that does not load is told as what it is', async ({ page, api, watch }) => {
  watch.expect(/ERR_FAILED/);
  const id = await api.tell(giulia);
  await page.route(/record-font/, (route) => route.abort());
  await new Panel(page).openReport(id);
  await print(page);
  await expect(page.getByRole('alert')).toContainText('Connessione assente. Controlla la rete e riprova.');
  await page.unroute(/record-font/);
  await pdfOf(page);
});

test('a shared computer keeps no name in its downloads, where the newsroom wants it so', async ({
  page,
  api,
}) => {
  const id = await api.tell(giulia);
  await page.goto('/paibeta/admin/settings/security/access#pdfWithoutName');
  const choice = page.getByRole('switch', { name: 'Schede PDF senza nome nel nome del file' });
  await expect(choice).toBeInViewport();
  await choice.check();
  await page.getByRole('button', { name: 'Salva Modifiche' }).click();
  await expect(page.getByText('Impostazioni di sicurezza salvate con successo!')).toBeInViewport();
  await new Panel(page).openReport(id);
  const { download } = await pdfOf(page);
  expect(download.suggestedFilename()).toBe(`segnalazione_${id}.pdf`);
});
