/** The windows that a page is looked at in, and what stands in them. */
import { expect, type Locator, type Page, test } from '@playwright/test';

/** Two phones, the second one also on its side, and two desks. */
export const WINDOWS = [
  { width: 320, height: 568 },
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 1280, height: 800 },
  { width: 1440, height: 900 },
] as const;

/** Tags of a variant of a test: only those that are always worth their time run outside of `make soak`. */
export const soakUnless = (always: boolean): string[] => (always ? [] : ['@soak']);

/** What fits the smallest, a phone on its side and a small desk fits the others, which are looked at by `make soak`. */
export const tagsOf = ({ width }: (typeof WINDOWS)[number]) => soakUnless(![390, 1440].includes(width));

export const named = ({ width, height }: (typeof WINDOWS)[number]) => `${width} × ${height}`;

/** Looks at a page as it stands in each of them, one after the other. */
export async function inEveryWindow(page: Page, look: () => Promise<void>): Promise<void> {
  for (const size of WINDOWS) {
    await test.step(named(size), async () => {
      await page.setViewportSize(size);
      await look();
    });
  }
}

/** Each is there, and wholly in the window as it stands. */
export async function expectInSight(things: Record<string, Locator>): Promise<void> {
  for (const [name, thing] of Object.entries(things)) {
    await expect(thing, `${name} in sight`).toBeInViewport({ ratio: 1 });
  }
}

/** The document fills the window and no more: there is nothing to scroll to but what scrolls inside. */
export async function expectNoTaller(page: Page): Promise<void> {
  const heights = () =>
    page.evaluate(() => [document.documentElement.scrollHeight - window.innerHeight, window.scrollY]);
  await expect.poll(heights, 'the document is not taller than its window').toEqual([0, 0]);
}

/** Does what moves a page, from wherever the focus and the middle of the window are. */
export async function tryToScroll(page: Page): Promise<void> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  await page.mouse.move(width / 2, height / 3);
  await page.mouse.wheel(0, 5000);
  for (const key of ['PageDown', 'End']) {
    await page.keyboard.press(key);
  }
  await page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    window.scrollTo(0, 5000);
  });
  for (const key of ['Space', 'PageDown', 'End']) {
    await page.keyboard.press(key);
  }
}
