/** Time that is moved in the page alone. */
import type { Page } from '@playwright/test';

/** Keeps from a page, from its next load on, what time it is at the server: that would set its clock right again. */
export async function keepServerTimeFrom(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { get } = Headers.prototype;
    Headers.prototype.get = function (this: Headers, name: string) {
      return name.toLowerCase() === 'date' ? null : get.call(this, name);
    };
  });
}
