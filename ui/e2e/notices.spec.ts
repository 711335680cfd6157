/** Notices by mail: asked for in one's own account, confirmed by a link. */
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Mailbox } from './support/mailbox';

test('an address is confirmed by the link that it was sent, and the hours stand as they were meant', async ({
  page,
  server,
  api,
  context,
}) => {
  const mailbox = await Mailbox.open();
  try {
    await mailbox.serve(api, 'redazione@esempio.example');
    const { cookie } = await api.welcome(
      { name: 'Anna Bianchi', user: 'anna', role: 'redattore', departments: [] },
      'sette lampioni lungo il viale',
    );
    await context.addCookies([{ ...cookie, url: server.origin, httpOnly: true, sameSite: 'Strict' }]);
    await page.goto('/paibeta/admin/account');
    const email = page.getByLabel('La tua email');
    await expect(email).toBeInViewport();
    await audit(page, 'notices');
    await email.fill('anna@esempio.example');
    await page.getByLabel('A che ora').fill('8, 14.30');
    await page.getByRole('button', { name: 'Salva gli avvisi' }).click();
    await expect(page.getByText(/^Abbiamo scritto a anna@esempio\.example/)).toBeInViewport();
    await expect.poll(() => mailbox.mails.length).toBe(1);
    const link = /https?:\S+\?email=\S+/.exec((mailbox.mails[0] ?? '').replace(/=\n/g, ''))?.[0] ?? '';
    await page.goto(new URL(link.replace('=3D', '=')).pathname + new URL(link.replace('=3D', '=')).search);
    await expect(page.getByText('Indirizzo confermato.')).toBeInViewport();
    await expect(page.getByLabel('A che ora')).toHaveValue('08:00, 14:30');
    await expect(page).toHaveURL(/\/account$/);
    await page.setViewportSize({ width: 320, height: 568 });
    await expectNoSidewaysScroll(page, 'notices');
  } finally {
    await mailbox.close();
  }
});
