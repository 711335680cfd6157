/**
 * What every end-to-end test starts from: a server of its own on the real executable, pages that are watched, and ways
 * to be logged in without going through the login page. Must never let a test see what another one left behind.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, type BrowserContextOptions, test as base, type Page } from '@playwright/test';
import { Api, DEMO_PASSWORD, PASSWORD } from './support/api';
import { type Kind, resetPassword, Server } from './support/server';
import { Watch } from './support/watch';

export interface Options {
  /** State of the installation at the beginning of the test. */
  kind: Kind;
  /** Theme of the newsroom. */
  theme: 'light' | 'dark';
}

interface Fixtures {
  server: Server;
  /** Calls as an editor, but for an installation without a password. */
  api: Api;
  watch: Watch;
  /** A page of another person: another browser, with nothing kept. */
  visit: (as?: BrowserContextOptions) => Promise<Page>;
  /** Logs the browser of these pages in. */
  logIn: (context: BrowserContext) => Promise<void>;
}

interface WorkerFixtures {
  /** Folder of an installation with a password, made once, to be copied. */
  template: string;
}

const passwordOf = (kind: Kind) => (kind === 'demo' ? DEMO_PASSWORD : PASSWORD);

async function temporary<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'segnalazioni-e2e-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export const test = base.extend<Options & Fixtures, WorkerFixtures>({
  kind: ['configured', { option: true }],
  theme: ['dark', { option: true }],

  template: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameters off the function
    async ({}, use) => {
      await temporary(async (folder) => {
        await resetPassword(folder, PASSWORD);
        await use(folder);
      });
    },
    { scope: 'worker' },
  ],

  server: async ({ kind, template }, use) => {
    await temporary(async (folder) => {
      if (kind === 'configured') {
        await cp(template, folder, { recursive: true });
      }
      const server = await Server.start(folder, kind);
      try {
        await use(server);
      } finally {
        await server.stop();
      }
    });
  },

  baseURL: async ({ server }, use) => {
    await use(server.origin);
  },

  api: [
    async ({ server, kind, theme }, use) => {
      const api = new Api(server.origin);
      if (kind !== 'empty') {
        await api.logIn(passwordOf(kind));
        await api.saveSystem({ darkMode: theme === 'dark', deviceTheme: false });
      }
      await use(api);
    },
    { auto: true },
  ],

  watch: [
    async ({ server, context }, use) => {
      const watch = new Watch(server.origin);
      await watch.over(context);
      await use(watch);
      watch.verify();
    },
    { auto: true },
  ],

  visit: async ({ browser, watch }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (as) => {
      const context = await browser.newContext(as);
      contexts.push(context);
      await watch.over(context);
      return context.newPage();
    });
    await Promise.all(contexts.map((context) => context.close()));
  },

  logIn: async ({ server, kind }, use) => {
    await use(async (context) => {
      const cookie = await new Api(server.origin).logIn(passwordOf(kind));
      await context.addCookies([{ ...cookie, url: server.origin, httpOnly: true, sameSite: 'Strict' }]);
    });
  },
});

export { expect } from '@playwright/test';
