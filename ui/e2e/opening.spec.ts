/** 'Prima di aprire': what is to be settled before the public comes, each point with its page or a word. */
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';

test('each point leads to its settings or is settled with a word', async ({ page, context, logIn }) => {
  await logIn(context);
  await page.goto('/paibeta/admin/opening');
  const points = page.getByRole('list', { name: 'Punti' }).getByRole('listitem');
  await expect(points).toHaveCount(7);
  await expect(points.first().getByRole('link', { name: 'Server di posta' })).toBeInViewport();
  await audit(page, 'before opening');
  const settle = page.getByRole('button', { name: /^Va bene così/ });
  for (let left = await settle.count(); left > 0; left -= 1) {
    await settle.first().click();
    await expect(settle).toHaveCount(left - 1);
  }
  await expect(page.getByText('È tutto deciso: il pubblico può cominciare.')).toBeInViewport();
  await audit(page, 'all settled');
  await page.setViewportSize({ width: 320, height: 568 });
  await expectNoSidewaysScroll(page, 'before opening');
});
