/** What leaves because of a report: seen at the report and on a page of its own, loudly when it does not get through. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Mailbox } from './support/mailbox';
import { Panel } from './support/panel';
import { giulia } from './support/people';

const TO = 'redazione@esempio.example';

const banner = (page: Page) => page.getByRole('link', { name: 'Vai alle consegne' });
const entries = (page: Page) => page.getByRole('list', { name: /^Consegne: / }).getByRole('listitem');

let mailbox: Mailbox;

test.beforeEach(async ({ api, context, logIn }) => {
  mailbox = await Mailbox.open();
  await mailbox.serve(api, TO);
  await logIn(context);
});

test.afterEach(async () => {
  await mailbox.close();
});

test('a report is mailed, and the panel says where it went', async ({ page, api }) => {
  const id = await api.tell(giulia);
  await expect.poll(() => mailbox.mails.length).toBe(1);
  expect(mailbox.mails[0]).toContain(`To: ${TO}`);
  const panel = new Panel(page);
  await panel.openReport(id);
  const card = await panel.unfold('Consegne');
  await expect(card).toContainText(`Email a ${TO}`);
  await expect(card).toContainText('Consegnata');
  await page.goto('/paibeta/admin/deliveries');
  await expect(panel.heading('Consegne')).toBeVisible();
  await expect(page.getByText(/^email consegnata a /)).toBeVisible();
  await expect(page.getByText('0 in attesa · 0 fallite · 1 consegnata')).toBeVisible();
  await expect(banner(page)).toBeHidden();
});

test('a mail that keeps failing is shouted about, and arrives once it can', async ({ page, api }) => {
  const { port } = mailbox;
  await mailbox.close();
  const id = await api.tell(giulia);
  const panel = new Panel(page);
  await page.goto('/paibeta/admin/deliveries');
  const failed = (attempts: string) =>
    expect(entries(page)).toContainText(new RegExp(`In errore.*${attempts} · prossimo tentativo`));
  await failed('1 tentativo');
  // A single failure is what any network does now and then; the banner is read anew with the page.
  await Promise.all([page.waitForResponse('**/api/deliveries/summary'), page.reload()]);
  await failed('1 tentativo');
  await expect(banner(page)).toBeHidden();
  await entries(page).getByRole('button', { name: 'Riprova' }).click();
  await failed('2 tentativi');
  await panel.openList();
  await banner(page).click();
  await expect(entries(page)).toHaveCount(1);
  mailbox = await Mailbox.open(port);
  await entries(page).getByRole('button', { name: 'Riprova' }).click();
  await expect(page.getByText(/^email consegnata a /)).toBeVisible();
  await expect(banner(page)).toBeHidden();
  expect(mailbox.mails).toHaveLength(1);
  await page.getByRole('link', { name: 'Giulia Ferraro' }).click();
  await expect(panel.heading('Giulia Ferraro')).toBeVisible();
  expect(page.url()).toContain(id);
});

test('accessible in every state', async ({ page, api, watch }) => {
  watch.expect(/status of 500/);
  await page.goto('/paibeta/admin/deliveries');
  await expect(page.getByText('Nessuna consegna', { exact: true })).toBeVisible();
  await audit(page, 'no deliveries');
  mailbox.refusal = '550 casella sconosciuta';
  const id = await api.tell(giulia);
  await expect(entries(page)).toContainText('Fallita');
  await page.reload();
  await expect(banner(page)).toBeVisible();
  await audit(page, 'a delivery that failed, with the banner');
  await new Panel(page).openReport(id);
  await expect(new Panel(page).card('Consegne')).toContainText('Fallita');
  await audit(page, 'a report whose mail failed');
  await page.getByRole('button', { name: 'Ignora' }).click();
  await audit(page, 'asking whether to ignore');
  await page.getByRole('dialog').getByRole('button', { name: 'Annulla' }).click();
  await page.setViewportSize({ width: 320, height: 700 });
  await expectNoSidewaysScroll(page, 'a report whose mail failed');
  await page.goto('/paibeta/admin/deliveries');
  await expect(entries(page)).toContainText('Fallita');
  await expectNoSidewaysScroll(page, 'deliveries');
  await page.route(/\/api\/deliveries\?|\/api\/deliveries$/, (route) => route.fulfill({ status: 500 }));
  await page.reload();
  await expect(page.getByRole('alert')).toContainText('Non è stato possibile caricare le consegne');
  await audit(page, 'deliveries not loaded');
});
