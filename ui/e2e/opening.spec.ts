/** 'Prima di aprire': what is to be settled before the public comes stands in the menu until it is. */
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';

test('each point leads to its settings or is settled with a word, and the page leaves the menu with the last', async ({
  page,
  context,
  logIn,
}) => {
  await logIn(context);
  await page.goto('/paibeta/admin/opening');
  const menu = page.getByRole('navigation', { name: 'Menu del pannello' });
  const entry = menu.getByRole('link', { name: /^Prima di aprire/ });
  const points = page.getByRole('list', { name: 'Punti' }).getByRole('listitem');
  await expect(points).toHaveCount(7);
  await expect(points.first().getByRole('link', { name: 'Server di posta' })).toBeInViewport();
  await audit(page, 'before opening');
  const settle = page.getByRole('button', { name: /^Va bene così/ });
  for (let left = await settle.count(); left > 0; left -= 1) {
    await expect(entry).toHaveText(`Prima di aprire${left}`);
    await settle.first().click();
    await expect(settle).toHaveCount(left - 1);
  }
  await expect(page.getByText('È tutto deciso: il pubblico può cominciare.')).toBeInViewport();
  await expect(entry).toHaveCount(0);
  await audit(page, 'all settled');
  await page.setViewportSize({ width: 320, height: 568 });
  await expectNoSidewaysScroll(page, 'before opening');
});
