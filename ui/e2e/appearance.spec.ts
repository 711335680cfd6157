/** Names, logo and colour: chosen once, seen at once on every page that is open, and never fetched from elsewhere. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit } from './support/audit';
import { Chat } from './support/chat';
import { Panel } from './support/panel';
import { giulia } from './support/people';
import { png } from './support/picture';

const RED = png(64, 64, [200, 0, 0]);

async function openSystem(page: Page): Promise<void> {
  await page.goto('/paibeta/admin/settings/system/look');
  await expect(page.getByLabel('Colore principale', { exact: true })).toBeVisible();
}

const choose = (page: Page, name: string, buffer: Buffer) =>
  page.locator('input[type="file"]').setInputFiles({ name, mimeType: 'image/png', buffer });
const icon = (page: Page) => page.locator('link[rel="icon"]').getAttribute('href');
const drawn = (image: HTMLImageElement) => image.complete && image.naturalWidth > 0;
const token = (page: Page, name: string) =>
  page.evaluate((one) => getComputedStyle(document.documentElement).getPropertyValue(one).trim(), name);

test('an uploaded logo is drawn in the sidebar of every tab, on the chat that is open, at the login, as icon', async ({
  page,
  context,
  logIn,
  visit,
  watch,
}) => {
  // The login page asks whether there is a session already.
  watch.expect(/status of 401.*\/session/);
  const chat = await Chat.open(await visit());
  await chat.answer(giulia.eta);
  await logIn(context);
  const tab = await context.newPage();
  await new Panel(tab).openList();
  await openSystem(page);
  await choose(page, 'logo.png', RED);
  await expect(page.getByText('Logo salvato.')).toBeVisible();
  const address = /^\/paibeta\/logo\/[0-9a-f]{32}$/;
  for (const open of [page, tab]) {
    const logo = open.getByRole('complementary').locator('img');
    await expect(logo).toHaveAttribute('src', address);
    await expect.poll(() => logo.evaluate(drawn)).toBe(true);
    await expect.poll(() => icon(open)).toMatch(address);
  }
  await chat.page.clock.runFor(2500);
  const avatar = chat.page.getByRole('banner').locator('img');
  await expect(avatar).toHaveAttribute('src', address);
  await expect.poll(() => avatar.evaluate(drawn)).toBe(true);
  await expect.poll(() => icon(chat.page)).toMatch(address);
  // The conversation goes on where it was.
  await chat.asks('Il tuo nome', 2);

  const login = await visit();
  await login.goto('/paibeta/login');
  await expect.poll(() => login.getByRole('main').locator('img').evaluate(drawn)).toBe(true);

  await page.getByRole('button', { name: 'Rimuovi il logo' }).click();
  await expect(page.getByText('Logo rimosso.')).toBeVisible();
  await expect(tab.getByRole('complementary').locator('img')).toHaveCount(0);
  await chat.page.clock.runFor(2500);
  await expect(avatar).toHaveAttribute('src', '/paibeta/logo/icon.svg');
  await expect.poll(() => icon(chat.page)).toBe('/paibeta/logo/icon.svg');
});

test('names, colour and theme reach a chat that is open, without touching the conversation', async ({
  api,
  visit,
}) => {
  const chat = await Chat.open(await visit());
  await chat.answer(giulia.eta);
  await chat.box.fill('Mari');
  await api.saveSystem({
    assistantName: 'Vera',
    organizationName: 'La Voce',
    primaryColor: '#ffd400',
    darkMode: false,
  });
  await chat.page.clock.runFor(2500);
  await expect(chat.bubbles.first().getByText('Vera')).toBeVisible();
  await expect(chat.page).toHaveTitle('PelazzAI · La Voce');
  await expect(chat.page.locator('html')).toHaveAttribute('data-theme', 'light');
  await expect.poll(() => token(chat.page, '--primary')).toBe('#ffd400');
  await expect(chat.page.locator('link[rel="stylesheet"]')).toHaveCount(1);
  await expect(chat.box).toHaveValue('Mari');
  await chat.answer('Maria');
  await chat.asks('Il tuo cognome', 3);
  await audit(chat.page, 'chat in another look');
});

test('a tab of another browser sees the new look by itself', async ({ page, api, context, logIn }) => {
  await page.clock.install();
  await logIn(context);
  await new Panel(page).openList();
  await api.saveSystem({ organizationName: 'La Voce' });
  await page.clock.runFor(6000);
  await expect(page.getByRole('complementary').getByText('La Voce', { exact: true })).toBeVisible();
});

test('light or dark as the device asks, with the font of its own and the newsroom’s colour around the page', async ({
  api,
  visit,
}) => {
  await api.saveSystem({ deviceTheme: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await visit({ colorScheme });
    for (const path of ['/paibeta/', '/paibeta/seguito']) {
      await page.goto(path);
      const seen = await page.evaluate(async () => {
        await document.fonts.ready;
        const probe = document.body.appendChild(document.createElement('i'));
        probe.style.color = 'light-dark(white, black)';
        const dark = getComputedStyle(probe).color === 'rgb(0, 0, 0)';
        const around = document.querySelector<HTMLMetaElement>('meta[name="theme-color"]')?.content;
        const ours = [...document.fonts].filter(({ family }) => /Atkinson/.test(family));
        const fonts = ours.filter(({ status }) => status === 'loaded').length;
        return { dark, around, fonts };
      });
      expect(seen, `${path} ${colorScheme}`).toEqual({
        dark: colorScheme === 'dark',
        around: '#2563eb',
        fonts: 1,
      });
    }
  }
});

/** Relative luminance of a colour that the browser has computed (WCAG 2.2). */
const CONTRASTS = () => {
  const probe = document.body.appendChild(document.createElement('div'));
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const luminance = (color: string) => {
    probe.style.color = color;
    canvas?.clearRect(0, 0, 1, 1);
    Object.assign(canvas ?? {}, { fillStyle: getComputedStyle(probe).color });
    canvas?.fillRect(0, 0, 1, 1);
    const channels = [...(canvas?.getImageData(0, 0, 1, 1).data ?? [])].slice(0, 3);
    const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
      const value = channel / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one: number, two: number) => (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
  const least = { text: 21, ink: 21 };
  const steps = Array.from({ length: 16 }, (_, step) => (17 * step).toString(16).padStart(2, '0'));
  for (const theme of ['light', 'dark']) {
    probe.dataset.theme = theme;
    const surfaces = ['--bg', '--surface', '--surface-2'].map((name) => luminance(`var(${name})`));
    for (const color of steps.flatMap((r) => steps.flatMap((g) => steps.map((b) => `#${r}${g}${b}`)))) {
      probe.style.setProperty('--primary', color);
      const text = luminance('var(--primary-text)');
      least.text = Math.min(least.text, ...surfaces.map((surface) => contrast(text, surface)));
      const fill = luminance('var(--primary)');
      least.ink = Math.min(least.ink, contrast(luminance('var(--on-primary)'), fill));
    }
  }
  probe.remove();
  return least;
};

test('any colour reads as text, and has text that reads on it, in both themes', async ({ page }) => {
  await page.goto('/paibeta/');
  const { text, ink } = await page.evaluate(CONTRASTS);
  expect(text).toBeGreaterThanOrEqual(4.5);
  expect(ink).toBeGreaterThanOrEqual(4.5);
});
