/** What stands in the window, as a person sees it. */
import { expect, type Locator, type Page } from '@playwright/test';

/** From the worst phone to a desk. */
export const SIZES = [
  [320, 568],
  [390, 844],
  [844, 390],
  [1280, 800],
  [1440, 900],
] as const;

/** All of these are wholly in the window. */
export async function within(page: Page, ...what: readonly Locator[]): Promise<void> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  for (const one of what) {
    await expect(one).toBeInViewport({ ratio: 1 });
    const { x = -1, y = -1, width: wide = 0, height: tall = 0 } = (await one.boundingBox()) ?? {};
    const inside = x >= 0 && y >= 0 && x + wide <= width && y + tall <= height;
    expect(inside, `${one} at ${x}, ${y}, ${wide}×${tall}`).toBe(true);
  }
}

/** Nothing of the document lies outside of its window, where a wheel or a key would lead to an empty page. */
export async function fits(page: Page): Promise<void> {
  const over = () => page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight);
  await expect.poll(over, { message: 'the document is taller than its window' }).toBeLessThanOrEqual(0);
}
