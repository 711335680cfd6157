/** The chat inside a page of another site: only where the newsroom has said so, and never the panel. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { beds } from './support/callouts';
import { Chat } from './support/chat';
import { answersOf, giulia } from './support/people';

/** A site of its own on this machine, whose one page shows `address` in a frame. */
async function site(folder: string, frame: () => string): Promise<Server> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    key,
    '-out',
    cert,
  ];
  execFileSync('openssl', ['req', '-x509', ...made, '-subj', '/CN=127.0.0.1'], { stdio: 'ignore' });
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, answer) => {
    answer.setHeader('content-type', 'text/html');
    answer.end(
      `<!doctype html><title>Sito</title><iframe src="${frame()}" width="400" height="700"></iframe>`,
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

const originOf = (server: Server) => `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
const inside = (page: Page) => page.frameLocator('iframe');

test('a page of another origin shows the chat and files a report, another one does not', async ({
  browser,
  server,
  api,
}, info) => {
  let framed = `${server.origin}/paibeta/?embed`;
  const host = await site(info.outputPath(), () => framed);
  const stranger = await site(info.outputPath(), () => framed);
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  try {
    await api.saveSystem({ embedOrigins: originOf(host) });
    const page = await context.newPage();
    // As where a browser keeps nothing for a page inside of another one.
    await page.addInitScript(() => {
      const refuse = {
        get: () => {
          throw new DOMException('blocked', 'SecurityError');
        },
      };
      Object.defineProperty(window, 'sessionStorage', refuse);
      Object.defineProperty(window, 'localStorage', refuse);
    });
    await page.goto(originOf(host));
    const chat = new Chat(inside(page) as unknown as Page);
    await chat.begin.click();
    for (const text of answersOf(giulia)) {
      await chat.box.fill(text);
      await chat.send.click();
      await expect(chat.ready).toBeVisible();
    }
    await chat.submit.click();
    await expect(chat.closing).toBeVisible();
    expect((await api.detailOf(giulia)).segnalazione).toBe(giulia.segnalazione);

    await api.openCallout(beds);
    framed = `${server.origin}/paibeta/i/${beds.slug}?embed`;
    await page.goto(originOf(host));
    await expect(inside(page).getByRole('heading', { name: beds.title })).toBeVisible();
    await chat.begin.click();
    await chat.box.fill(giulia.eta);
    await chat.send.click();
    await inside(page).getByRole('button', { name: 'Milano' }).click();
    await expect(inside(page).getByRole('checkbox')).toHaveCount(3);
    framed = `${server.origin}/paibeta/?embed`;

    await page.goto(originOf(stranger));
    await expect(inside(page).getByRole('button')).toHaveCount(0);
    for (const path of [
      '/paibeta/',
      `/paibeta/i/${beds.slug}`,
      '/paibeta/admin?embed',
      '/paibeta/login?embed',
    ]) {
      framed = `${server.origin}${path}`;
      await page.goto(originOf(host));
      await expect(inside(page).getByRole('button')).toHaveCount(0);
    }
  } finally {
    await context.close();
    host.close();
    stranger.close();
  }
});
