/** README's pictures, taken from the real executable: `npm run screenshots`. Must never run along with the tests. */
import { defineConfig } from '@playwright/test';
import tests from '../playwright.config';
import type { Options } from './fixtures';

export default defineConfig<Options>({
  ...tests,
  testDir: './screenshots',
  testMatch: /\.shots\.ts$/,
  outputDir: '../test-results',
  workers: 1,
  // A bar half on its way to its end would tell of a place nobody was in.
  use: { ...tests.use, contextOptions: { reducedMotion: 'reduce' } },
  projects: [{ name: 'screenshots' }],
});
