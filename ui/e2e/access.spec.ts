/** Who gets into the panel, how long, and what everybody else is told. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { PASSWORD } from './support/api';
import { Panel } from './support/panel';
import { giulia } from './support/people';

/** Whoever opens the panel without a session is told so by the server; the browser notes it. */
const NOBODY = /status of 401.*\/session/;
/** Once a session has ended, whatever a page still asks for is refused. */
const ENDED = /status of 401.*\/paibeta\/api\//;

const passwordBox = (page: Page) => page.getByLabel('Password', { exact: true });
const submit = (page: Page) => page.getByRole('button', { name: /^Acce(di al|sso)/ });
const alertBox = (page: Page) => page.getByRole('alert');

async function tryPassword(page: Page, password: string): Promise<void> {
  await passwordBox(page).fill(password);
  await submit(page).click();
}

test('the page asked for comes back after the login', async ({ page, watch }) => {
  watch.expect(NOBODY);
  await page.goto('/paibeta/admin/reports?stato=Risolta&period=week');
  await expect(page).toHaveURL(/\/paibeta\/login$/);
  await expect(page).toHaveTitle(/^Accesso al pannello · PelazzAI · Le Iene$/);
  await tryPassword(page, PASSWORD);
  await expect(page).toHaveURL(/\/admin\/reports\?stato=Risolta&period=week$/);
  await expect(page.getByLabel('Stato', { exact: true })).toHaveValue('Risolta');
  // The login page has nothing more to ask.
  await page.goto('/paibeta/login');
  await expect(page).toHaveURL(/\/admin\/reports\?todo=true$/);
});

test('the cookie cannot be read by a script, nor sent from another site', async ({
  page,
  context,
  watch,
}) => {
  watch.expect(NOBODY);
  await page.goto('/paibeta/login');
  await tryPassword(page, PASSWORD);
  await expect(new Panel(page).heading('Segnalazioni')).toBeVisible();
  const cookies = await context.cookies();
  const guarded = { path: '/', httpOnly: true, sameSite: 'Strict' };
  expect(cookies).toMatchObject([
    { name: 'segnalazioni', expires: -1, ...guarded },
    { name: 'segnalazioni-browser', ...guarded },
  ]);
  expect(await page.evaluate(() => document.cookie)).toBe('');
});

test('a blank password cannot be sent, a typed one can be looked at', async ({ page, watch }) => {
  watch.expect(NOBODY);
  await page.goto('/paibeta/login');
  const box = passwordBox(page);
  await expect(submit(page)).toHaveText('Accedi al Pannello');
  await expect(submit(page)).toBeDisabled();
  await box.fill('   ');
  await expect(submit(page)).toBeDisabled();
  await box.press('Enter');
  await expect(alertBox(page)).toHaveCount(0);

  await box.fill('segreto');
  await expect(submit(page)).toBeEnabled();
  await expect(box).toHaveAttribute('type', 'password');
  await page.getByRole('button', { name: 'Mostra la password' }).click();
  await expect(box).toHaveAttribute('type', 'text');
  await page.getByRole('button', { name: 'Nascondi la password' }).click();
  await expect(box).toHaveAttribute('type', 'password');
  await expect(box).toHaveValue('segreto');
});

test('logging out in one tab closes the panel in the other', async ({ page, context, api, logIn, watch }) => {
  const id = await api.tell(giulia);
  await logIn(context);
  const first = new Panel(page);
  await first.openList();
  await first.open(giulia);
  const second = new Panel(await context.newPage());
  await second.openReport(id);
  watch.expect(ENDED);
  await first.logOut();
  await expect(second.heading('Accesso al pannello')).toBeVisible();
  await expect(second.page.getByText(giulia.cognome)).toBeHidden();

  // Back leads to no page of the panel either, nor does a reload.
  await page.goBack();
  await expect(first.heading('Accesso al pannello')).toBeVisible();
  await page.goto('/paibeta/admin/reports');
  await expect(first.heading('Accesso al pannello')).toBeVisible();
  expect(await context.cookies()).toHaveLength(0);
});

test('a session the server has ended closes the panel at the next poll', async ({
  page,
  context,
  panel,
  watch,
}) => {
  watch.expect(ENDED);
  await panel.openList();
  await expect(page.getByText('Nessuna segnalazione trovata')).toBeVisible();
  await context.clearCookies();
  await expect(alertBox(page)).toHaveText('La sessione è terminata. Effettua nuovamente il login.');
});

test('polling does not keep a session alive', async ({ page, context, api, logIn }) => {
  await logIn(context);
  const polls: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (/\/api\/reports/.test(request.url())) {
      polls.push(request.headers()['x-background']);
    }
  });
  await new Panel(page).openList();
  await expect
    .poll(() => polls.filter((mark) => mark === '1').length, { timeout: 20_000 })
    .toBeGreaterThan(2);
  // The list that somebody opened counts as activity, once; which request is the first on the way decides nothing.
  expect(polls.filter((mark) => mark !== '1')).toEqual([undefined]);
  expect((await api.session()).idleTimeoutMinutes).toBe(60);
});

test.describe('before the first set-up', () => {
  test.use({ kind: 'empty' });
});
