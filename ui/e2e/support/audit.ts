/** Accessibility of a page as it stands. Must have no list of exceptions: what it finds is to be put right. */
import { expect, type Frame, type Page, test } from '@playwright/test';
import axe from 'axe-core';

/** WCAG 2.0 to 2.2, levels A and AA. */
const WCAG = { type: 'tag' as const, values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
/** What a theme decides; the rest is the same in either. */
const OF_COLOURS = { type: 'rule' as const, values: ['color-contrast', 'link-in-text-block'] };

/** Waits until nothing fades or slides any more: a colour on its way is no colour of the page. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const passing = document
      .getAnimations()
      .filter((animation) => animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(passing.map((animation) => animation.finished));
  });
}

/** What axe finds in one document, each frame by itself; only violations are described, which is most of the work. */
async function violationsIn(frame: Frame, only: axe.RunOnly, atLeast: number): Promise<string[]> {
  if (!(await frame.evaluate(() => 'axe' in window))) {
    await frame.evaluate(axe.source);
  }
  const { violations, passes } = await frame.evaluate((runOnly): Promise<axe.AxeResults> => {
    const { run } = (window as unknown as { axe: typeof axe }).axe;
    return run(document, { runOnly, iframes: false, resultTypes: ['violations'] });
  }, only);
  expect(passes.length, 'axe has looked at something').toBeGreaterThanOrEqual(atLeast);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id} (${help}): ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
  );
}

/** Gives the document that theme, or the one that it has not; answers which it had, where a theme decides. */
const turn = (frame: Frame, back?: string) =>
  frame.evaluate((given) => {
    const { dataset } = document.documentElement;
    const theme = matchMedia('(forced-colors: active)').matches ? undefined : dataset.theme;
    if (theme !== undefined) {
      dataset.theme = given ?? (theme === 'dark' ? 'light' : 'dark');
    }
    return theme;
  }, back);

/** Fails on any violation, in either theme; what axe could not decide is left to people. */
export async function audit(page: Page, state: string): Promise<void> {
  await test.step(`axe: ${state}`, async () => {
    for (const frame of page.frames()) {
      await settle(page);
      expect(await violationsIn(frame, WCAG, 6), state).toEqual([]);
      const theme = await turn(frame);
      if (theme !== undefined) {
        await settle(page);
        // Where a menu lies over all else, axe may be able to decide of no colour.
        expect(await violationsIn(frame, OF_COLOURS, 0), `${state}, not ${theme}`).toEqual([]);
        await turn(frame, theme);
      }
    }
  });
}

/** Fails when something has to be scrolled sideways to be read (WCAG 1.4.10); a line of controls may be longer than its room. */
export async function expectNoSidewaysScroll(page: Page, state: string): Promise<void> {
  await settle(page);
  // Asked again until it holds: a page that was made narrower puts its panes one below the other a moment later.
  const wide = () =>
    page.evaluate(() => {
      const scrolls = (element: Element) =>
        element === document.documentElement || /auto|scroll/.test(getComputedStyle(element).overflowX);
      return [...document.querySelectorAll(':not([data-line])')]
        .filter((element) => scrolls(element) && element.scrollWidth > element.clientWidth + 1)
        .map((element) => `${element.tagName} ${element.scrollWidth} > ${element.clientWidth}`);
    });
  await expect.poll(wide, { message: `${state}: sideways scroll` }).toEqual([]);
  const width = page.viewportSize()?.width ?? 0;
  const outside = await page.evaluate((limit) => {
    const shown = (element: Element) =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    return [...document.querySelectorAll('button, a, input, select, textarea, h1, h2, p')]
      .filter((element) => shown(element) && element.closest('.visually-hidden, [data-line]') === null)
      .map((element) => ({ name: element.textContent?.slice(0, 40), box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1 && (box.right > limit + 1 || box.left < -1))
      .map(({ name, box }) => `${name}: ${Math.round(box.left)} to ${Math.round(box.right)}`);
  }, width);
  expect(outside, `${state}: cut off at the side`).toEqual([]);
}
