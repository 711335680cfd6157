/** The main story in the engines of Firefox and Safari: `npm run engines`. Must never need a browser of Playwright's own. */
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: './engines',
  testMatch: /\.engine\.ts$/,
  outputDir: '../test-results',
  workers: 1,
  retries: 0,
  timeout: 300_000,
  expect: { timeout: 30_000 },
  reporter: [['list']],
});
