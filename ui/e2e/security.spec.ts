/** What the server hands to a browser: nothing inline, nothing foreign, nothing of the panel on the public page. */
import type { APIResponse } from '@playwright/test';
import { expect, test } from './fixtures';
import { Chat } from './support/chat';
import { Panel } from './support/panel';
import { giulia } from './support/people';
import { Watch } from './support/watch';

/** The styles that stand in the chat are named by their hash. */
const STYLES = / 'sha256-[\w+/]{43}='/;
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const PAGES = [
  '/paibeta',
  '/paibeta/',
  '/paibeta/login',
  '/paibeta/setup',
  '/paibeta/admin',
  '/paibeta/admin/reports',
  '/paibeta/admin/reports/00000000-0000-4000-8000-000000000000',
];

/** Calls of the panel, each with a body it would accept. */
const PANEL_CALLS: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['GET', '/session'],
  ['GET', '/reports'],
  ['GET', '/reports/00000000-0000-4000-8000-000000000000'],
  ['PATCH', '/reports/00000000-0000-4000-8000-000000000000', { stato: 'Risolta' }],
  ['GET', '/settings/security'],
  ['PUT', '/settings/security', {}],
  ['GET', '/settings/system'],
  ['PUT', '/settings/system', {}],
  ['GET', '/prompts'],
  ['PUT', '/prompts', {}],
  ['DELETE', '/prompts'],
  ['GET', '/logs'],
  ['PUT', '/password', { current: 'non è questa', new: 'nemmeno questa qui' }],
];

/** What only the panel's code says. */
const PANEL_WORDS = [
  'Accedi al Pannello',
  'Stato e reparto',
  'Salva Modifiche',
  'Note Interne',
  'Codice di recupero',
  '/admin',
  '/login',
  '/reports',
  'BrowserRouter',
  'queryKey',
];

for (const path of PAGES) {
  test(`${path} has the strict policy and nothing inline`, async ({ request }) => {
    const answer = await request.get(path);
    expect(answer.status()).toBe(200);
    const headers = answer.headers();
    const chat = /^\/paibeta\/?$/.test(path);
    expect(STYLES.test(headers['content-security-policy'] ?? '')).toBe(chat);
    expect(headers['content-security-policy']?.replace(STYLES, '')).toBe(POLICY);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cross-origin-opener-policy']).toBe('same-origin');

    const html = await answer.text();
    expect(html).toContain('<html lang="it"');
    const scripts = [...html.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.filter((tag) => !/ src="|type="application\/json"/.test(tag))).toEqual([]);
    // Attributes only: the boot block may hold any words.
    const bare = html.replace(/<script\b[^>]*>.*?<\/script>/gs, '');
    const markup = bare.replace(/<style data-href="[^"]*">.*?<\/style>/s, '');
    expect(markup === bare).toBe(!chat);
    expect(markup).not.toMatch(/<style|<[^>]*\s(style|on[a-z]+)=/i);
    // The ways out: a call for help, and where 'Esci in fretta' leads, which is followed only when it is pressed.
    const inside = markup.replace(/<a [^>]*rel="noreferrer"[^>]*>/g, '');
    expect(inside.match(/(?:src|href)="(?!\/paibeta\/|"|#|tel:112")[^"]*"/g)).toBeNull();
    expect(markup).not.toMatch(/__[A-Z_]+__/);
  });
}

test('everything else leads to the public page', async ({ page, request }) => {
  const leadsTo = (answer: APIResponse) => answer.headers().location;
  for (const path of ['/', '/index.html', '/wp-login.php', '/paibeta/qualcosa', '/paibeta/login/altro']) {
    const answer = await request.get(path, { maxRedirects: 0 });
    expect(answer.status(), path).toBeGreaterThanOrEqual(301);
    expect(answer.status(), path).toBeLessThanOrEqual(308);
    expect(leadsTo(answer), path).toBe('/paibeta/');
  }
  const unknown = await request.get('/paibeta/api/qualcosa');
  expect(unknown.status()).toBe(404);
  expect(unknown.headers()['content-type']).toBe('application/problem+json');

  await page.goto('/paibeta/da/nessuna/parte');
  await expect(page).toHaveURL(/\/paibeta\/$/);
  await new Chat(page).alive();
});

test('an unknown page of the panel leads to the list', async ({ page, context, logIn }) => {
  await logIn(context);
  await page.goto('/paibeta/admin/qualcosa');
  await expect(page).toHaveURL(/\/admin\/reports$/);
  await page.goto('/paibeta/admin/');
  await expect(page).toHaveURL(/\/admin\/reports$/);
});

test('without a session the panel gives nothing away', async ({ server, api }) => {
  const id = await api.tell(giulia);
  for (const [method, path, body] of [...PANEL_CALLS, ['GET', `/reports/${id}`] as const]) {
    const answer = await fetch(`${server.origin}/paibeta/api${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'if-match': '"1"' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const call = `${method} ${path}`;
    expect(answer.status, call).toBe(401);
    expect(answer.headers.get('content-type'), call).toBe('application/problem+json');
    const problem = await answer.text();
    expect(JSON.parse(problem), call).toMatchObject({ type: 'urn:segnalazioni:problem:non-autenticato' });
    expect(problem, call).not.toContain(giulia.cognome);
  }
});

test('another site can change nothing with the session of an editor', async ({ api }) => {
  const id = await api.tell(giulia);
  for (const origin of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://esempio.example' },
  ]) {
    const answer = await api.fetch(
      'PATCH',
      `/reports/${id}`,
      { stato: 'Risolta' },
      { ...origin, 'if-match': '"1"' },
    );
    expect(answer.status).toBe(403);
  }
  expect((await api.detail(id)).stato).toBe('Nuova');
});

test('a citizen downloads nothing of the panel', async ({ page }) => {
  const scripts: Promise<string>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') {
      scripts.push(response.text());
    }
  });
  const chat = await Chat.open(page);
  await chat.tell(giulia);
  await chat.finish();
  const code = (await Promise.all(scripts)).join('\n');
  const told = (words: readonly string[]) => words.filter((word) => code.includes(word));
  expect(told(['Scrivi la tua risposta...'])).toHaveLength(1);
  expect(told(PANEL_WORDS)).toEqual([]);
});

test('what a reporter writes stays text', async ({ page, api, context, logIn }) => {
  const poison = `<img src=x onerror="document.title='preso'"><script>document.title='preso'</script>`;
  await api.tell({
    ...giulia,
    cognome: `Ferraro ${poison}`.slice(0, 100),
    indirizzo: `Via Garibaldi 12 ${poison}`,
    segnalazione: `${giulia.segnalazione} ${poison}`,
  });
  await logIn(context);
  const panel = new Panel(page);
  await panel.openList();
  await panel.rows.getByRole('link', { name: 'Apri' }).click();
  await expect(panel.card('Testo della Segnalazione')).toContainText(poison);
  await panel.unfold('Dati Personali');
  await expect(panel.fact('Indirizzo')).toContainText(poison);
  await expect(page).toHaveTitle(/^Segnalazione #/);
});

test('the browser understands every header and link it is given', async ({ page, context, watch, logIn }) => {
  await Chat.open(page);
  await logIn(context);
  await new Panel(page).openList();
  expect(watch.warnings).toEqual([]);
});

test('the watch over all these tests sees what it is there to see', async ({
  page,
  server,
  context,
  watch,
}) => {
  const other = new Watch(server.origin);
  await other.over(context);
  await page.goto('/paibeta/');
  await new Chat(page).alive();
  expect(() => other.verify()).not.toThrow();

  await page.evaluate(async () => {
    console.error('a complaint');
    document.body.setAttribute('style', 'color: red');
    document.head.append(Object.assign(document.createElement('style'), { textContent: 'p { color: red }' }));
    setTimeout(() => {
      throw new Error('a break');
    });
    await fetch('https://esempio.example/').catch(() => undefined);
    const sink = document.createElement('p');
    try {
      sink.innerHTML = '<b>markup</b>';
    } catch {
      return;
    }
    throw new Error('markup from a string got through');
  });
  const provoked = [
    /console: a complaint/,
    /page: a break/,
    /policy style-src-attr inline/,
    /policy style-src-elem inline/,
    /policy connect-src https:\/\/esempio\.example/,
    /policy require-trusted-types-for trusted-types-sink/,
  ];
  for (const fault of provoked) {
    await expect(() => {
      expect(() => other.verify()).toThrow(fault);
    }).toPass();
  }
  other.expect(/./, /something else/);
  expect(() => other.verify()).toThrow(/^announced fault that did not happen: \/something else\/$/);
  watch.expect(...provoked, /Content Security Policy|TrustedHTML/);
});
