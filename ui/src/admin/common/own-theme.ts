/** The theme that a person has chosen in this browser. Must stay small: the login page pays for it. */
import { ownKey } from '../../shared/lib/boot';
import { openStore, readJson } from '../../shared/lib/storage';

/** As the page's element names it; of both, the device chooses. */
export const THEMES = ['light', 'dark', 'light dark'] as const;
export type Theme = (typeof THEMES)[number];

export const KEY = ownKey('theme');

/** `undefined` where the newsroom's holds. */
export function ownTheme(): Theme | undefined {
  const kept = readJson(openStore('localStorage'), KEY);
  return THEMES.find((theme) => theme === kept);
}
