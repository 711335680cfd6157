/**
 * End-to-end tests: the real executable, driven in Debian's Chromium. Must never retry by itself: a test that fails now
 * and then is a fault of the product or of the test, and either is to be found. `make test` gives a second chance, and names
 * each test that took it.
 *
 * Two variables: `PROGRAM`, the executable (default: the release build), and `CHROMIUM`, the browser.
 */
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
  // A microphone that beeps, for a page that is allowed one.
  '--use-fake-device-for-media-stream',
];

/** What is worth seeing on both screens; the rest is the same on either. */
const ON_BOTH = /(story|accessibility|attachments)\.spec\.ts$/;

export default defineConfig<Options>({
  testDir: './e2e',
  outputDir: './test-results',
  // Each test has its own server, folder and port, so two at a time do not meet.
  workers: 2,
  fullyParallel: true,
  retries: 0,
  forbidOnly: true,
  // Generous: how fast the machine is must not decide a test.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  use: {
    locale: 'it-IT',
    timezoneId: 'Europe/Rome',
    screenshot: 'only-on-failure',
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS },
  },
  projects: [
    {
      name: 'desktop',
      use: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark', theme: 'dark' },
    },
    {
      name: 'phone',
      testMatch: ON_BOTH,
      // The desk looks at both themes; a small screen moves things, it does not recolour them.
      grepInvert: /in dark colours/,
      use: { ...devices['Pixel 7'], colorScheme: 'light', theme: 'light' },
    },
  ],
});
