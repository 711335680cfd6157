import { describe, expect, it } from 'vitest';
import { contrast, deriveTheme, isColor, leastContrast, SURFACES } from './color';
import { verdictOf } from './color-setting';

/** Colour, text on it, then text and focus ring in light and in dark, as the server's stylesheet has them. */
const SERVER = [
  ['#2563eb', '#ffffff', '#2563eb', '#2563eb', '#548cff', '#2a69f1'],
  ['#000000', '#ffffff', '#000000', '#000000', '#909090', '#727272'],
  ['#ffffff', '#000000', '#6d6d6d', '#8a8a8a', '#ffffff', '#ffffff'],
  ['#ffd400', '#000000', '#826b00', '#a48800', '#ffd400', '#ffd400'],
  ['#ffff00', '#000000', '#717100', '#8f8f00', '#ffff00', '#ffff00'],
  ['#b42318', '#ffffff', '#b42318', '#b42318', '#f2614f', '#ce3f30'],
  ['#0f6b3a', '#ffffff', '#0f6b3a', '#0f6b3a', '#4fa06b', '#2e814e'],
  ['#777777', '#000000', '#6d6d6d', '#777777', '#909090', '#777777'],
  ['#7d3cff', '#ffffff', '#7d3cff', '#7d3cff', '#977aff', '#814aff'],
  ['#ff00ff', '#000000', '#c200c2', '#f300f3', '#ff00ff', '#ff00ff'],
  ['#00ffff', '#000000', '#007a7a', '#009a9a', '#00ffff', '#00ffff'],
  ['#123456', '#ffffff', '#123456', '#123456', '#6e93bb', '#51759b'],
  ['#14181f', '#ffffff', '#14181f', '#14181f', '#8b9099', '#6d737c'],
  ['#e8ebf0', '#000000', '#6b6d72', '#888a8f', '#e8ebf0', '#e8ebf0'],
  ['#808000', '#000000', '#717100', '#808000', '#949528', '#808000'],
] as const;

describe('the colours derived for the preview', () => {
  it.each(SERVER)(
    'of %s are the server’s',
    (primary, onPrimary, lightText, lightFocus, darkText, darkFocus) => {
      expect(deriveTheme(primary.toUpperCase())).toEqual({
        primary,
        onPrimary,
        light: { text: lightText, focus: lightFocus },
        dark: { text: darkText, focus: darkFocus },
      });
    },
  );

  it('always read', () => {
    for (let sample = 0; sample < 0x1000000; sample += 0x30f0d) {
      const theme = deriveTheme(`#${sample.toString(16).padStart(6, '0')}`);
      expect(contrast(theme.primary, theme.onPrimary)).toBeGreaterThanOrEqual(4.5);
      for (const scheme of ['light', 'dark'] as const) {
        expect(leastContrast(theme[scheme].text, SURFACES[scheme]), theme.primary).toBeGreaterThanOrEqual(
          4.5,
        );
        expect(leastContrast(theme[scheme].focus, SURFACES[scheme]), theme.primary).toBeGreaterThanOrEqual(3);
      }
    }
  });

  it('have the contrast that WCAG defines', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 9);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });

  it('are judged in words', () => {
    expect(verdictOf(deriveTheme('#777777'))).toMatch(/scurito nel tema chiaro e schiarito/);
    expect(verdictOf(deriveTheme('#2563eb'))).toMatch(/^Come testo viene schiarito nel tema scuro/);
    expect(verdictOf(deriveTheme('#ffd400'))).toMatch(/^Come testo viene scurito nel tema chiaro/);
  });

  it('are made only of what the settings take', () => {
    expect(['#2563EB', '#000000'].every(isColor)).toBe(true);
    expect(['', '#256', '2563eb', '#2563eg', '#2563eb0', 'blu'].some(isColor)).toBe(false);
  });
});
