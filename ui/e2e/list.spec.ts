/** The list: its filters live in the address, its pages leave no gap, its counters count the whole archive. */
import { expect, test } from './fixtures';
import { audit } from './support/audit';
import { giulia, matteo, nicolo, somebody } from './support/people';

test('filters are in the address: a link opens them, Back and Forward restore them', async ({
  page,
  api,
  panel,
}) => {
  await api.tell(giulia);
  await api.change(await api.tell(matteo), { stato: 'Risolta' });
  await api.change(await api.tell(nicolo), { stato: 'Archiviata' });
  const stato = page.getByLabel('Stato', { exact: true });
  const period = page.getByLabel('Periodo');
  await panel.openList();
  await expect(panel.rows).toHaveCount(2);
  await panel.narrow('archiviate', /Anche archiviate/);
  await expect(page).toHaveURL(/\/reports\?archived=true$/);
  await expect(panel.rows).toHaveCount(3);
  await expect(panel.rows.nth(0)).toContainText(nicolo.cognome);
  await expect(panel.rows.nth(2)).toContainText(giulia.cognome);

  await panel.openList();
  await stato.selectOption('Risolta');
  await expect(page).toHaveURL(/\/reports\?stato=Risolta$/);
  await expect(panel.rows).toHaveCount(1);
  await expect(panel.row(matteo)).toBeVisible();
  await period.selectOption('Oggi');
  await expect(page).toHaveURL(/\?stato=Risolta&period=today$/);
  await expect(panel.row(matteo)).toBeVisible();

  await page.goBack();
  await expect(page).toHaveURL(/\?stato=Risolta$/);
  await expect(period).toHaveValue('');
  await page.goBack();
  await expect(stato).toHaveValue('');
  await expect(panel.rows).toHaveCount(2);
  await page.goForward();
  await expect(stato).toHaveValue('Risolta');
  await expect(panel.rows).toHaveCount(1);

  await panel.openList('?stato=Archiviata&period=month');
  await expect(stato).toHaveValue('Archiviata');
  await expect(period).toHaveValue('month');
  await expect(panel.row(nicolo)).toBeVisible();
  await expect(panel.rows).toHaveCount(1);
  await page.getByRole('button', { name: 'Togli tutti' }).click();
  await expect(page).toHaveURL(/\/reports$/);
  await expect(panel.rows).toHaveCount(2);
});

test('the panel opens on what is to do; each tab has its number and its list', async ({
  page,
  api,
  panel,
}) => {
  await api.change(await api.tell(giulia), { stato: 'Risolta' });
  await api.change(await api.tell(matteo), { urgente: true });
  await page.goto('/paibeta/admin');
  await expect(page).toHaveURL(/\/reports\?todo=true$/);
  await expect(panel.tab('Da fare')).toHaveText('Da fare 1');
  await expect(panel.tab('Da fare')).toHaveAttribute('aria-current', 'true');
  await expect(panel.rows).toHaveCount(1);
  for (const [tab, query, rows] of [
    ['Urgenti 1', '?urgente=true', 1],
    ['Tutte 2', '', 2],
    ['Risposte', '?answer=true', 0],
  ] as const) {
    await panel.tab(tab).click();
    await expect(page).toHaveURL((url) => url.search === query);
    await expect(panel.rows).toHaveCount(rows);
  }
  // A search looks among all, wherever it begins, and gives the tab back.
  await panel.field.fill(giulia.cognome);
  await expect(panel.row(giulia)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\?answer=true$/);
});

test('the way back from a report leads to the list it was opened from', async ({ page, api, panel }) => {
  await api.tell(giulia);
  await panel.openList('?stato=Nuova&period=week');
  await panel.open(giulia);
  await page.getByRole('link', { name: 'Torna alla lista' }).click();
  await expect(page).toHaveURL(/\?stato=Nuova&period=week$/);
  await expect(panel.row(giulia)).toBeVisible();
});

test('120 reports come in three pages without a gap or a double, newest first', async ({
  page,
  api,
  panel,
}) => {
  // Those that come together are stored in some order; the last one comes after them.
  const together = await api.enterMany(Array.from({ length: 119 }, (_, index) => somebody(index + 1)));
  const last = await api.tellMany([somebody(120)]);
  const ids = [...together, ...last];
  const next = page.getByRole('link', { name: 'Successiva' });
  const previous = page.getByRole('link', { name: 'Precedente' });
  const shown = () =>
    panel.rows.evaluateAll((rows) =>
      rows.map((row) => ({
        id: row.querySelector('a')?.pathname.split('/').at(-1) ?? '',
      })),
    );

  await panel.openList();
  await expect(panel.tab('Tutte')).toHaveText('Tutte 120');
  await expect(previous).toBeDisabled();
  const pages: { id: string }[][] = [];
  for (const size of [50, 50, 20]) {
    await expect(panel.rows).toHaveCount(size);
    pages.push(await shown());
    if (size === 50) {
      const first = pages.at(-1)?.[0]?.id ?? '';
      await next.click();
      await expect(page.locator(`a[href$="${first}"]`)).toHaveCount(0);
    }
  }
  const rows = pages.flat();
  expect(rows.map((row) => row.id).sort()).toEqual([...ids].sort());
  expect(rows[0]?.id).toBe(last[0]);

  await expect(next).toBeDisabled();
  await page.reload();
  await expect(panel.rows).toHaveCount(20);
  await previous.click();
  await expect(panel.rows).toHaveCount(50);
  await expect.poll(() => shown()).toEqual(pages[1]);
  await page.goBack();
  await expect(panel.rows).toHaveCount(20);
  await expect.poll(() => shown()).toEqual(pages[2]);
});

test('a report that arrives meanwhile moves no page and shifts no row', async ({ page, api, panel }) => {
  await api.enterMany(Array.from({ length: 51 }, (_, index) => somebody(index + 1)));
  await panel.openList();
  await page.getByRole('link', { name: 'Successiva' }).click();
  await expect(panel.rows).toHaveCount(1);
  // Its marks may change: what arrives may be alike.
  const opened = panel.rows.getByRole('link', { name: 'apri la segnalazione' });
  const before = (await opened.textContent()) ?? '';
  await api.tell(giulia);
  await expect(page.getByText('È arrivata una nuova segnalazione.').first()).toBeVisible({ timeout: 20_000 });
  await expect(panel.rows).toHaveCount(1);
  await expect(opened).toHaveText(before);
  await page.getByRole('link', { name: 'Mostra le più recenti' }).click();
  await expect(panel.rows.first()).toContainText(giulia.cognome);
});

test('an empty archive explains where reports come from, an empty selection how to widen it', async ({
  page,
  api,
  panel,
}) => {
  const none = page.getByText('Nessuna segnalazione trovata');
  await panel.openList();
  await expect(none).toBeVisible();
  await expect(page.getByRole('link', { name: 'Apri la chat pubblica' })).toHaveAttribute(
    'href',
    '/paibeta/',
  );

  await api.tell(giulia);
  await expect(panel.row(giulia)).toBeVisible({ timeout: 20_000 });
  await page.getByLabel('Stato', { exact: true }).selectOption('Risolta');
  await expect(none).toBeVisible();
  await expect(page.getByText('Prova a modificare i filtri di ricerca.')).toBeVisible();
  await page
    .getByRole('region', { name: 'Elenco delle segnalazioni' })
    .getByRole('button', { name: 'Togli tutti i filtri' })
    .click();
  await expect(panel.row(giulia)).toBeVisible();
});

test('origin, free dates, order and label narrow the list, and a view keeps them', async ({
  page,
  api,
  panel,
}) => {
  await api.tellMany([giulia, matteo, nicolo]);
  await panel.openList();
  await panel.narrow('lettera', 'Lettera');
  await expect(page.getByText('Nessuna segnalazione trovata')).toBeVisible();
  await page.getByRole('button', { name: 'Togli il filtro Origine' }).click();
  await panel.narrow('origine', 'Chat');
  await panel.narrow('vecchie', 'Prima le più vecchie');
  await panel.narrow('2/1/2020', /^Data ?Dal/);
  await panel.narrow('31/12/2090', /^Data ?Al/);
  const address = /\?from=2020-01-02&to=2090-12-31&origin=chat&order=asc$/;
  await expect(page).toHaveURL(address);
  await expect(panel.rows).toHaveCount(3);
  await audit(page, 'chips');

  await page.getByRole('button', { name: 'Salva come vista' }).click();
  const dialog = page.getByRole('dialog', { name: 'Salva come vista' });
  await dialog.getByLabel('Nome della vista').fill('Dalla più vecchia');
  await audit(page, 'name of a view');
  await dialog.getByRole('button', { name: 'Salva' }).click();
  await expect(page.getByText('Vista salvata')).toBeVisible();
  await panel.openList();
  await panel.narrow('vista', 'Dalla più vecchia');
  await expect(page).toHaveURL(address);
  await page.getByRole('button', { name: 'Elimina la vista' }).click();
  await expect(page.getByText('Vista eliminata')).toBeVisible();
  await panel.field.fill('vista');
  await expect(page.getByRole('listbox', { name: 'Filtri' }).getByRole('option')).toHaveCount(0);
});

test('a read report is told from an unread one', async ({ page, api, panel }) => {
  await api.tell(giulia);
  await panel.openList();
  await expect(panel.row(giulia)).toContainText('(da leggere)');
  await panel.open(giulia);
  await expect(panel.card('Cronologia')).toContainText('Aperta in redazione');
  await page.getByRole('link', { name: 'Torna alla lista' }).click();
  await expect(panel.row(giulia)).not.toContainText('(da leggere)');
});

test('what was typed is not left behind without a question', async ({ page, api, panel }) => {
  await api.tell(giulia);
  await panel.openList();
  await panel.open(giulia);
  await panel.note.fill('Da richiamare giovedì.');
  const question = page.getByRole('dialog', { name: 'Modifiche non salvate' });

  for (const leave of [
    () => page.getByRole('link', { name: 'Torna alla lista' }).click(),
    () => page.goBack(),
    () => panel.press('Esci'),
  ]) {
    await leave();
    const stay = question.getByRole('button', { name: 'Resta qui' });
    await expect(stay).toBeFocused();
    await stay.click();
    await expect(question).toBeHidden();
    await expect(panel.note).toHaveValue('Da richiamare giovedì.');
    await expect(page).toHaveURL(/\/reports\/[0-9a-f-]{36}$/);
  }

  await page.getByRole('link', { name: 'Torna alla lista' }).click();
  await question.getByRole('button', { name: 'Esci senza salvare' }).click();
  await expect(panel.row(giulia)).toBeVisible();
  expect((await api.detailOf(giulia)).note ?? '').toBe('');
});
