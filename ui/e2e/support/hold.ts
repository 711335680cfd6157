/** Holds an answer back, so that the state before it can be looked at. Must change nothing about the answer itself. */
import type { Page } from '@playwright/test';

/** Holds the next request to such an address until it is let go. */
export async function holdNext(page: Page, address: RegExp): Promise<{ release: () => void }> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(
    address,
    async (route) => {
      await released;
      await route.continue();
    },
    { times: 1 },
  );
  return { release };
}
