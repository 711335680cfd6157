/** Ways through a page without a mouse. */
import type { Locator, Page } from '@playwright/test';

/** Most presses of Tab that a walk may take. */
const FAR = 40;

/** Walks with Tab, or back with Shift+Tab, until the focus is there. */
export async function walkTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let presses = 0; presses < FAR; presses += 1) {
    await page.keyboard.press(key);
    if (await target.evaluate((element) => element === document.activeElement)) {
      return;
    }
  }
  throw new Error(`${FAR} presses of ${key} do not lead to ${target}`);
}
