/** What a browser makes of what it is handed: nothing of the panel on the public page, nothing of a reporter as markup. */
import { expect, test } from './fixtures';
import { Chat } from './support/chat';
import { Panel } from './support/panel';
import { giulia } from './support/people';
import { Watch } from './support/watch';

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

test('an unknown page of the panel leads to the list', async ({ page, context, logIn }) => {
  await logIn(context);
  await page.goto('/paibeta/admin/qualcosa');
  await expect(page).toHaveURL(/\/admin\/reports\?todo=true$/);
  await page.goto('/paibeta/admin/');
  await expect(page).toHaveURL(/\/admin\/reports\?todo=true$/);
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

test('what a reporter writes stays text', async ({ page, api, panel }) => {
  const poison = `<img src=x onerror="document.title='preso'"><script>document.title='preso'</script>`;
  await api.tell({
    ...giulia,
    cognome: `Ferraro ${poison}`.slice(0, 100),
    indirizzo: `Via Garibaldi 12 ${poison}`,
    segnalazione: `${giulia.segnalazione} ${poison}`,
  });
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
