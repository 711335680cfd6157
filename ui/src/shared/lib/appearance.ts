/** Theme, colour and icon of an open page. Must never compute a colour: the server's stylesheet has them. */
import type { Branding } from '../api/schema';

/** Linked, or standing in the page with the address that it has else. */
const STYLES = 'link[rel="stylesheet"][href*="/style/"], style[data-href]';

const themeOf = ({ darkMode, deviceTheme }: Branding): string => {
  const [first, second] = darkMode ? ['dark', 'light'] : ['light', 'dark'];
  return deviceTheme ? `${first} ${second}` : first;
};

/** `ownTheme`: light and dark are not the newsroom's to choose on this page. */
export function applyAppearance(before: Branding, now: Branding, ownTheme = false, page = document): void {
  if (!ownTheme) {
    const theme = themeOf(now);
    page.documentElement.dataset.theme = theme;
    page.querySelector('meta[name="color-scheme"]')?.setAttribute('content', theme);
  }
  if (before.primaryColor !== now.primaryColor) {
    changeStylesheet(page, now.primaryColor.slice(1));
    page.querySelector('meta[name="theme-color"]')?.setAttribute('content', now.primaryColor);
  }
  if (before.logoUrl !== now.logoUrl) {
    for (const icon of page.querySelectorAll<HTMLLinkElement>('link[rel$="icon"]')) {
      icon.href = now.logoUrl ?? `${import.meta.env.BASE_URL}logo/icon.svg`;
    }
  }
}

/** The old stylesheet goes when the new one has arrived: a page without styles must not show in between. */
function changeStylesheet(page: Document, name: string): void {
  const present = [...page.querySelectorAll<HTMLElement>(STYLES)];
  const last = present.at(-1);
  const address = last?.getAttribute('href') ?? last?.dataset.href;
  if (!(last && address)) {
    return;
  }
  const next = page.createElement('link');
  next.rel = 'stylesheet';
  next.href = address.replace(/\/style\/[^/]+\//, `/style/${name}/`);
  next.addEventListener('load', () => {
    for (const old of present) {
      old.remove();
    }
  });
  next.addEventListener('error', () => next.remove());
  last.after(next);
}
