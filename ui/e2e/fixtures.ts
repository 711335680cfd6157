/**
 * What every end-to-end test starts from: a server of its own on the real executable, pages that are watched, and ways
 * to be logged in without going through the login page. Must never let a test see what another one left behind.
 *
 * An installation is a copy of one that was prepared once for all tests of a worker: with a password, the theme, and two
 * sessions, since a login costs a tenth of a second on purpose.
 */
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BrowserContext,
  type BrowserContextOptions,
  test as base,
  expect,
  type Page,
} from '@playwright/test';
import { Api, DEMO_PASSWORD, PASSWORD, type SessionCookie } from './support/api';
import { Panel } from './support/panel';
import { type Kind, resetPassword, Server } from './support/server';
import { Watch } from './support/watch';

export interface Options {
  /** State of the installation at the beginning of the test. */
  kind: Kind;
  /** Theme of the newsroom. */
  theme: 'light' | 'dark';
  /** What the browser calls the server, in place of its address. */
  name: string;
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
  /** The panel on `page`, logged in, no page of it open yet. */
  panel: Panel;
}

type Theme = Options['theme'];

/** An installation to be copied, and who is logged in there. */
interface Template {
  folder: string;
  program: SessionCookie;
  browser: SessionCookie;
}

interface WorkerFixtures {
  template: (theme: Theme) => Promise<Template>;
}

/** Well within the time after which an idle session ends, in milliseconds. */
const TEMPLATE_MS = 1_800_000;

const passwordOf = (kind: Kind) => (kind === 'demo' ? DEMO_PASSWORD : PASSWORD);

async function temporary<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'segnalazioni-e2e-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function prepare(folder: string, theme: Theme): Promise<Template> {
  await mkdir(folder);
  await resetPassword(folder, PASSWORD);
  const server = await Server.start(folder, 'configured');
  const api = new Api(server.origin);
  const program = await api.logIn(PASSWORD);
  await api.saveSystem({ darkMode: theme === 'dark', deviceTheme: false });
  const browser = await new Api(server.origin).logIn(PASSWORD);
  await server.stop();
  return { folder, program, browser };
}

export const test = base.extend<Options & Fixtures, WorkerFixtures>({
  kind: ['configured', { option: true }],
  theme: ['dark', { option: true }],
  name: ['', { option: true }],

  template: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameters off the function
    async ({}, use) => {
      await temporary(async (folder) => {
        const made = new Map<string, Promise<Template>>();
        await use((theme) => {
          const key = `${theme}-${Math.floor(Date.now() / TEMPLATE_MS)}`;
          const known = made.get(key) ?? prepare(join(folder, key), theme);
          made.set(key, known);
          return known;
        });
      });
    },
    { scope: 'worker' },
  ],

  server: async ({ kind, theme, name, template }, use) => {
    await temporary(async (folder) => {
      if (kind === 'configured') {
        await cp((await template(theme)).folder, folder, { recursive: true });
      }
      const server = await Server.start(folder, kind, undefined, name);
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
    async ({ server, kind, theme, template }, use) => {
      const api = new Api(server.origin, kind === 'configured' ? (await template(theme)).program : undefined);
      if (kind === 'demo') {
        await api.logIn(DEMO_PASSWORD);
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
      // What was announced may reach the console after the page has shown it.
      await expect(() => watch.verify()).toPass({ timeout: 2000 });
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

  panel: async ({ page, context, logIn }, use) => {
    await logIn(context);
    await use(new Panel(page));
  },

  logIn: async ({ server, kind, theme, template }, use) => {
    let prepared = kind === 'configured' ? (await template(theme)).browser : undefined;
    await use(async (context) => {
      const cookie = prepared ?? (await new Api(server.origin).logIn(passwordOf(kind)));
      prepared = undefined;
      await context.addCookies([{ ...cookie, url: server.origin, httpOnly: true, sameSite: 'Strict' }]);
    });
  },
});

export { expect } from '@playwright/test';
