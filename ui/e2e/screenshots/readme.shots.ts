/** Takes README's pictures. Must show the product as it is: invented people, but nothing drawn over. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures';
import { Chat } from '../support/chat';
import { Panel } from '../support/panel';
import { giulia } from '../support/people';
import { fill } from './archive';

const FOLDER = resolve(import.meta.dirname, '../../../docs/screenshots');

/** As WebP, a fifth of a PNG's bytes; the page is as large as the window. */
async function shoot(page: Page, name: string): Promise<void> {
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await page.evaluate(() => document.documentElement.style.setProperty('caret-color', 'transparent'));
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
  writeFileSync(resolve(FOLDER, `${name}.webp`), Buffer.from(data, 'base64'));
}

test.describe('the chat on a phone', () => {
  test.use({
    viewport: { width: 390, height: 800 },
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
    theme: 'light',
  });

  test('chat', async ({ page }) => {
    const chat = await Chat.open(page);
    for (const text of ['34', giulia.nome, giulia.cognome, giulia.telefono]) {
      await chat.answer(text);
    }
    await shoot(page, 'chat');
  });
});

test.describe('the panel', () => {
  test.use({ viewport: { width: 1280, height: 800 }, theme: 'light' });

  test('list, report, story and callout', async ({ page, context, server, api }) => {
    const { session, story, callout, report } = await fill(server, api);
    await context.addCookies([{ ...session, url: server.origin, httpOnly: true, sameSite: 'Strict' }]);
    const panel = new Panel(page);
    await panel.openList();
    await expect(panel.rows.first()).toBeVisible();
    await shoot(page, 'list');
    const menu = page.getByRole('navigation', { name: 'Menu del pannello' }).getByRole('link');
    const labels = await menu.evaluateAll((links) => links.map((link) => link.getAttribute('title')));
    writeFileSync(resolve(FOLDER, 'menu.json'), `${JSON.stringify(labels, null, 2)}\n`);

    await panel.openReport(report);
    await shoot(page, 'report');
    await page.goto(`/paibeta/admin/storie/${story}`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText('San Rocco');
    await expect(panel.rows.first()).toBeVisible();
    await shoot(page, 'story');
    await page.goto(`/paibeta/admin/callouts/${callout}/answers`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText('posto letto');
    await shoot(page, 'callout');
  });
});
