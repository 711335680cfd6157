/**
 * End-to-end tests: the real executable, driven in Debian's Chromium. Must never retry: a test that fails now and then is a
 * fault of the product or of the test, and either is to be found.
 *
 * Three variables: `PROGRAM`, the executable (default: the release build); `CHROMIUM`, the browser (default: the one without
 * windows, which draws the same at half the work, where there is one); `SOAK`, with what `make soak` alone runs.
 */
import { existsSync } from 'node:fs';
import { defineConfig, devices } from '@playwright/test';
import type { Options } from './e2e/fixtures';

/** A browser that calls nobody: what it does on its own would count as traffic of the page. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // A microphone that beeps, for a page that asks for one.
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
];

const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const { CHROMIUM = BROWSERS.find((path) => existsSync(path)) ?? 'chromium', SOAK } = process.env;

/** What is worth seeing with a finger too; the rest looks at small windows by itself. */
const ON_BOTH = SOAK ? /(story|accessibility|attachments)\.spec\.ts$/ : /story\.spec\.ts$/;

export default defineConfig<Options>({
  testDir: './e2e',
  outputDir: './test-results',
  // Each test has its own server, folder and port, so they do not meet; the third fills the pauses of two processors.
  workers: 3,
  fullyParallel: true,
  retries: 0,
  forbidOnly: true,
  // So marked is what takes long, and is seldom touched.
  ...(SOAK ? {} : { grepInvert: /@soak/ }),
  // Generous: how fast the machine is must not decide a test.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  use: {
    locale: 'it-IT',
    timezoneId: 'Europe/Rome',
    screenshot: 'only-on-failure',
    launchOptions: { executablePath: CHROMIUM, args: FLAGS },
  },
  projects: [
    {
      name: 'desktop',
      use: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark', theme: 'dark' },
    },
    {
      name: 'phone',
      testMatch: ON_BOTH,
      use: { ...devices['Pixel 7'], colorScheme: 'light', theme: 'light' },
    },
  ],
});
