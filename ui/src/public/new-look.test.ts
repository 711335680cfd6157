import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Branding } from '../shared/api/schema';
import { lineDown, on } from '../shared/testing/server';

const first: Branding = {
  productName: 'PelazzAI',
  assistantName: 'PelazzAI',
  organizationName: 'Le Iene',
  logoUrl: null,
  primaryColor: '#2563eb',
  darkMode: true,
  deviceTheme: false,
};
let now: Branding;
const icon = () => document.querySelector('link[rel="icon"]')?.getAttribute('href');
const styles = () =>
  [...document.querySelectorAll('link[rel="stylesheet"]')].map((link) => link.getAttribute('href'));

beforeEach(() => {
  vi.resetModules();
  // This browser loads no styles; here it says that it has.
  const { happyDOM } = window as unknown as { happyDOM: { settings: Record<string, boolean> } };
  happyDOM.settings.handleDisabledFileLoadingAsSuccess = true;
  document.head.innerHTML = `<title>x</title><meta name="color-scheme" content="dark"><meta name="theme-color" content="#2563eb">
    <link rel="icon" href="/paibeta/logo/icon.svg"><style data-href="/paibeta/style/abc/public.css"></style>
    <script type="application/json" id="boot">${JSON.stringify({ branding: first })}</script>`;
  document.documentElement.dataset.theme = 'dark';
  on('get', '/branding', () => now);
});

describe('a new look', () => {
  it('takes names, theme, colour and icon, and gives them back', async () => {
    const { takeNewLook } = await import('./new-look');
    const taken: Branding[] = [];
    now = {
      ...first,
      productName: 'Filo',
      organizationName: 'La Voce',
      logoUrl: '/paibeta/logo/1',
      primaryColor: '#aa0000',
      darkMode: false,
    };
    await takeNewLook((branding) => taken.push(branding));
    expect(taken).toEqual([now]);
    expect(document.title).toBe('Filo · La Voce');
    expect(document.documentElement.dataset.theme).toBe('light');
    expect(document.querySelector('meta[name="color-scheme"]')).toHaveAttribute('content', 'light');
    expect(document.querySelector('meta[name="theme-color"]')).toHaveAttribute('content', '#aa0000');
    expect(icon()).toBe('/paibeta/logo/1');
    await vi.waitFor(() =>
      expect(styles()).toEqual([expect.stringMatching(/\/paibeta\/style\/aa0000\/public\.css$/)]),
    );

    now = { ...now, logoUrl: null };
    await takeNewLook((branding) => taken.push(branding));
    expect(icon()).toMatch(/\/logo\/icon\.svg$/);
    expect(styles()).toHaveLength(1);
    expect(document.querySelector('style')).toBeNull();
  });

  it('leaves everything as it is when the newsroom does not answer', async () => {
    const { takeNewLook } = await import('./new-look');
    on('get', '/branding', lineDown);
    await expect(takeNewLook(() => undefined)).rejects.toThrow();
    expect([icon(), document.title]).toEqual(['/paibeta/logo/icon.svg', 'x']);
  });
});
