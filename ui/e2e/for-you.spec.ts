/** 'Per te': nothing is handed over in silence. */
import type { BrowserContext } from '@playwright/test';
import { expect, test } from './fixtures';
import type { SessionCookie } from './support/api';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Panel } from './support/panel';
import { giulia, matteo } from './support/people';

const enter = (context: BrowserContext, url: string, cookie: SessionCookie) =>
  context.addCookies([{ ...cookie, url, httpOnly: true, sameSite: 'Strict' }]);

test('what waits for a person stands in the menu with its number, and opens', async ({
  page,
  server,
  api,
  context,
}) => {
  const given = await api.tell(giulia);
  const named = await api.tell(matteo);
  const anna = await api.welcome(
    { name: 'Anna Bianchi', user: 'anna', role: 'redattore', departments: [] },
    'sette lampioni lungo il viale',
  );
  await enter(context, server.origin, anna.cookie);
  const panel = new Panel(page);
  // The page looks every so often; its clock is ours.
  await page.clock.install();
  const look = () => page.clock.fastForward(16_000);
  await panel.openList();
  const menu = page.getByRole('navigation', { name: 'Menu del pannello' });
  const entry = menu.getByRole('link').first();
  await expect(entry).toHaveText('Per te');
  await entry.click();
  await expect(page.getByText('Non ti aspetta niente')).toBeInViewport();
  await audit(page, 'nothing waits');

  await api.change(given, { assegnataA: anna.id });
  await api.fetch('POST', `/reports/${named}/comments`, {
    text: '@Anna Bianchi la senti tu?',
    key: crypto.randomUUID(),
  });
  await look();
  await expect(entry).toHaveText('Per te2');
  await expect(panel.rows).toHaveCount(2);
  await expect(panel.row(giulia)).toContainText('Assegnata a Anna Bianchi');
  await expect(panel.row(matteo)).toContainText('Ti hanno nominato');
  await audit(page, 'what waits');
  await page.setViewportSize({ width: 320, height: 568 });
  await expectNoSidewaysScroll(page, 'what waits');
  await page.setViewportSize({ width: 1280, height: 800 });
  await panel.row(matteo).getByRole('link').click();
  await expect(page).toHaveURL(new RegExp(`/reports/${named}$`));

  // Read, it waits no more; concluded, neither.
  await look();
  await expect(entry).toHaveText('Per te1');
  await api.change(given, { stato: 'Risolta' });
  await look();
  await expect(entry).toHaveText('Per te');
});
