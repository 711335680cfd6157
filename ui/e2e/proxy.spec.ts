/** A video travels from a phone through nginx, set up as the operators' guide says, and nothing of it touches the proxy's disk. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@playwright/test';
import { PASSWORD } from './support/api';
import { Chat } from './support/chat';
import { giulia } from './support/people';
import { resetPassword, Server } from './support/server';
import { Watch } from './support/watch';

const GUIDE = resolve(import.meta.dirname, '../../docs/GESTIONE.md');
const SIZE = 50 * 1024 * 1024;
/** Where nginx writes what it does not want to hold in memory. */
const SPOOL = ['bodies', 'answers'];

async function freePort(): Promise<number> {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  taken.close();
  await once(taken, 'close');
  return port;
}

/** Debian's nginx with the guide's block, between this port and the server. */
async function startNginx(folder: string, port: number, backend: string): Promise<ChildProcess> {
  const block = /\n```nginx\n([\s\S]*?)\n```/.exec(readFileSync(GUIDE, 'utf8'))?.[1] ?? '';
  const server = block
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace(
      '# ssl_certificate, ssl_certificate_key',
      'ssl_certificate cert.pem; ssl_certificate_key key.pem;',
    )
    .replaceAll('127.0.0.1:8080', backend);
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const other = ['fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path answers;`).join(' ');
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid pid; error_log error.log warn; ${user}
events {}
http { client_body_temp_path bodies; proxy_temp_path answers; ${other}
${server}
}`,
  );
  for (const name of SPOOL) {
    mkdirSync(join(folder, name));
  }
  const certificate = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-subj', '/CN=localhost'];
  const files = ['-nodes', '-keyout', 'key.pem', '-out', 'cert.pem'];
  execFileSync('openssl', ['req', '-x509', ...certificate, ...files], { cwd: folder, stdio: 'ignore' });
  return spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'], { stdio: 'ignore' });
}

test('a video of 50 MB passes nginx in pieces', async ({ browser }) => {
  const folder = mkdtempSync(join(tmpdir(), 'segnalazioni-proxy-'));
  const [port, inside] = [await freePort(), await freePort()];
  const origin = `https://localhost:${port}`;
  writeFileSync(join(folder, 'config.toml'), `public_url = "${origin}"\ntrusted_proxies = ["127.0.0.1"]\n`);
  await resetPassword(folder, PASSWORD);
  const server = await Server.start(folder, 'configured', `127.0.0.1:${inside}`);
  const nginx = await startNginx(folder, port, `127.0.0.1:${inside}`);
  const touched = () => SPOOL.map((name) => statSync(join(folder, name)).mtimeMs);
  const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: origin });
  try {
    await expect(() => context.request.get('/paibeta/healthz')).toPass();
    const idle = touched();
    const watch = new Watch(origin);
    await watch.over(context);
    const chat = await Chat.open(await context.newPage(), '/paibeta/');
    await chat.tell(giulia);
    const video = Buffer.alloc(SIZE, 'Roccapipirozzi');
    video.write('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1');
    writeFileSync(join(folder, 'lunga.mp4'), video);
    await chat.page.getByLabel('Allega file').setInputFiles(join(folder, 'lunga.mp4'));
    await expect(chat.page.getByText(/^Allegato, 52(,4)? MB$/)).toBeVisible({ timeout: 90_000 });
    await chat.finish();
    watch.verify();

    await context.request.post('/paibeta/api/session', { data: { password: PASSWORD } });
    const list = await (await context.request.get('/paibeta/api/reports')).json();
    const report = await (await context.request.get(`/paibeta/api/reports/${list.data[0].id}`)).json();
    expect(report.attachments).toMatchObject([{ name: 'lunga.mp4', size: SIZE }]);
    expect(touched(), 'nothing was spooled').toEqual(idle);
    expect(readFileSync(join(folder, 'error.log'), 'utf8')).not.toContain('temporary file');
  } finally {
    await context.close();
    nginx.kill('SIGKILL');
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});
