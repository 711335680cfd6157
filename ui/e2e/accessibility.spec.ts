/** axe on every page in every state, light and dark (WCAG 2.0 to 2.2, A and AA): nothing may be found. */
import { expect, test } from './fixtures';
import { PASSWORD } from './support/api';
import { audit } from './support/audit';
import { beds } from './support/callouts';
import { Chat } from './support/chat';
import { keepServerTimeFrom } from './support/clock';
import { holdNext } from './support/hold';
import { Panel } from './support/panel';
import { giulia, matteo, nicolo } from './support/people';
import { expectInSight } from './support/windows';

const NOBODY = /status of 401.*\/session/;

test('the chat, from the welcome to the end', async ({ page, server, watch }) => {
  await page.goto('/paibeta/');
  await audit(page, 'before the first question');
  await page.getByRole('button', { name: 'Leggi l’informativa' }).click();
  await expect(page.getByRole('heading', { name: 'Informativa sulla privacy' })).toBeVisible();
  await audit(page, 'the privacy notice');
  const chat = await Chat.open(page);
  await audit(page, 'welcome');
  const about = page.getByRole('button', { name: 'Chi legge?' });
  await about.click();
  await expect(page.getByRole('button', { name: 'Chiudi' })).toBeFocused();
  await audit(page, 'who reads');
  await page.keyboard.press('Escape');
  await expect(about).toBeFocused();

  const turn = await holdNext(page, /\/chat\/turns$/);
  await chat.say('boh');
  await expect(page.getByTestId('typing')).toBeVisible();
  await audit(page, 'waiting for the reply');
  turn.release();
  await expect(chat.box).toBeEditable();
  await audit(page, 'an answer refused');

  await chat.tell(giulia);
  await audit(page, 'the last question');
  watch.expect(/net::ERR_/);
  await server.kill();
  await expect(chat.badge).toHaveText('Stato: Offline');
  await audit(page, 'offline');
  await chat.say('basta');
  await expect(page.getByRole('heading', { name: 'Segnalazione non ancora inviata' })).toBeVisible();
  await audit(page, 'kept in this browser');
  await page.getByRole('button', { name: 'Elimina da questo browser' }).click();
  await audit(page, 'about to be deleted');
  await server.restart();
  await expect(chat.closing).toBeVisible({ timeout: 20_000 });
  await audit(page, 'sent later');
});

test('the chat, when a turn fails, when it ends early', async ({ page, watch }) => {
  const chat = await Chat.open(page);
  watch.expect(/status of 500/);
  await page.route(/\/chat\/turns$/, (route) => route.fulfill({ status: 500 }), { times: 1 });
  await chat.say('17');
  await expect(chat.failure).toBeVisible();
  await audit(page, 'a turn failed');
  await chat.say('17');
  await expect(page.getByText(/^Conversazione terminata/)).toBeVisible();
  await audit(page, 'closed for a minor');
});

test('what few meet: a datum left out, an answer asked back, a callout that is over, no receipts', async ({
  page,
  api,
}) => {
  await api.saveSecurity({ phoneRequired: false });
  const chat = await Chat.open(page);
  await chat.answer(giulia.eta);
  await chat.answer('Mi chiamo Giulia Ferraro');
  const yes = page.getByRole('button', { name: 'Sì', exact: true });
  await expectInSight({ yes, box: chat.box });
  await audit(page, 'an answer asked back');
  await yes.click();
  await page.clock.fastForward(1000);
  await expect(page.getByRole('button', { name: 'Non ce l’ho' })).toBeVisible();
  await audit(page, 'a datum that may be left out');
  await api.closeCallout(await api.openCallout(beds));
  await page.goto(`/paibeta/i/${beds.slug}`);
  await expect(page.getByText(beds.closedText)).toBeVisible();
  await audit(page, 'a callout that is over');
  await api.saveSystem({ receiptsEnabled: false });
  await page.goto('/paibeta/seguito');
  await expect(page.getByText(/non si può seguire una segnalazione/)).toBeVisible();
  await audit(page, 'no receipts');
});

test('the panel, from the login to the end of the session', async ({ page, api, context, logIn, watch }) => {
  watch.expect(NOBODY);
  const panel = new Panel(page);
  await page.goto('/paibeta/login');
  await expect(panel.heading('Accesso al pannello')).toBeVisible();
  await audit(page, 'login');
  await page.getByLabel('Password', { exact: true }).fill('non è questa');
  await audit(page, 'login, password typed');
  await page.getByRole('button', { name: 'Accedi al Pannello' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await audit(page, 'login refused');

  await logIn(context);
  const list = await holdNext(page, /\/api\/reports\?.*sort=urgent/);
  await panel.openList();
  await expect(page.getByText('Caricamento delle segnalazioni…')).toBeAttached();
  await audit(page, 'list loading');
  list.release();
  await expect(page.getByText('Nessuna segnalazione trovata')).toBeVisible();
  await audit(page, 'list empty');

  await api.tell(giulia);
  await expect(panel.row(giulia)).toContainText('Appena arrivata');
  await api.change(await api.tell(matteo), { stato: 'Risolta' });
  await api.change(await api.tell(nicolo), { stato: 'Archiviata' });
  await expect(panel.rows).toHaveCount(2);
  await panel.narrow('archiviate', /Anche archiviate/);
  await expect(panel.rows).toHaveCount(3);
  await audit(page, 'list with rows');
  await panel.field.fill('s');
  await expect(page.getByRole('option', { name: 'contiene «s»' })).toBeVisible();
  await audit(page, 'what the field completes to');
  await panel.field.fill('');
  await page.getByLabel('Stato', { exact: true }).selectOption('In lavorazione');
  await expect(page.getByText('Prova a modificare i filtri di ricerca.')).toBeVisible();
  await audit(page, 'list, empty selection');

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Apri il menu' }).click();
  await audit(page, 'menu open');
});

test('one report, in every state of its form', async ({ page, api, panel, watch }) => {
  const id = await api.tell(giulia, 'Ho anche le bolle di consegna.');
  await panel.openReport(id);
  await audit(page, 'detail');
  await panel.stato.selectOption('In lavorazione');
  await panel.hasStato('In lavorazione');
  await panel.note.fill('Da richiamare giovedì.');
  await panel.save.click();
  await panel.saved();
  await audit(page, 'saved');

  await panel.note.fill('Da richiamare venerdì.');
  await page.getByRole('link', { name: 'Torna alla lista' }).click();
  await expect(page.getByRole('dialog', { name: 'Modifiche non salvate' })).toBeVisible();
  await audit(page, 'leaving with changes');
  await page.getByRole('button', { name: 'Resta qui' }).click();

  await api.change(id, { note: 'Assegnata a Marta.' });
  await expect(page.getByText('Un’altra persona ha appena modificato')).toBeVisible();
  await audit(page, 'overtaken');
  watch.expect(/status of 412/);
  await panel.save.click();
  await expect(panel.conflict).toBeVisible();
  await audit(page, 'conflict');
  await panel.conflict.getByRole('button', { name: 'Usa la versione salvata' }).click();
  await audit(page, 'the saved version taken');

  watch.expect(/status of 500/);
  await panel.note.fill('Da richiamare sabato.');
  await page.route(/\/api\/reports\//, (route) => route.fulfill({ status: 500 }));
  await panel.save.click();
  await expect(page.getByRole('alert').filter({ hasText: 'Note non salvate' })).toBeVisible();
  await expect(page.getByText('Aggiornamento automatico interrotto')).toBeVisible();
  await audit(page, 'save failed');
});

test('what the panel shows instead of a report', async ({ page, context, panel, watch }) => {
  watch.expect(/status of 404/);
  await page.goto('/paibeta/admin/reports/00000000-0000-4000-8000-000000000000');
  await expect(panel.heading('Segnalazione non trovata')).toBeVisible();
  await audit(page, 'not found');

  watch.expect(/status of 500/);
  await page.route(/\/api\/reports\?.*sort=urgent/, (route) => route.fulfill({ status: 500 }));
  await panel.openList();
  await expect(page.getByRole('button', { name: 'Riprova' })).toBeVisible();
  await audit(page, 'list failed');
  await page.unroute(/\/api\/reports\?.*sort=urgent/);

  await page.clock.install();
  await keepServerTimeFrom(page);
  await panel.openList();
  await page.clock.fastForward(59 * 60_000 + 5000);
  await expect(page.getByRole('dialog', { name: 'La sessione sta per scadere' })).toBeVisible();
  await audit(page, 'session about to end');
  watch.expect(/status of 401/);
  await context.clearCookies();
  await page.clock.fastForward(2 * 60_000);
  await expect(page.getByText('Sessione scaduta per inattività')).toBeVisible();
  await audit(page, 'session over');
});

test.describe('before the first set-up', () => {
  test.use({ kind: 'empty' });

  test('the set-up, step by step', async ({ page, server, watch }) => {
    watch.expect(/status of 422/, NOBODY);
    await page.goto('/paibeta/setup');
    await expect(page.getByRole('heading', { name: 'Link non valido' })).toBeVisible();
    await audit(page, 'link not valid');
    await page.goto('/paibeta/login');
    await expect(page.getByRole('heading', { name: 'Il pannello non è ancora configurato' })).toBeVisible();
    await audit(page, 'not set up');

    await page.goto(server.setupLink);
    await expect(page.getByLabel('Nuova password')).toBeVisible();
    await audit(page, 'new password');
    await page.getByLabel('Nuova password').fill('password1234');
    await page.getByLabel('Ripeti la password').fill('password1234');
    await page.getByRole('button', { name: 'Continua' }).click();
    await expect(page.getByLabel('Nuova password')).toHaveAttribute('aria-invalid', 'true');
    await audit(page, 'password refused');
    await page.getByLabel('Nuova password').fill(PASSWORD);
    await page.getByLabel('Ripeti la password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Continua' }).click();
    await expect(page.getByRole('heading', { name: 'Il codice di recupero' })).toBeVisible();
    await audit(page, 'recovery code');
    const shown = page.getByText(/([A-Z]{4}-){7}[A-Z]{4}/).first();
    const code = /([A-Z]{4}-){7}[A-Z]{4}/.exec((await shown.textContent()) ?? '')?.[0] ?? '';
    await page.getByRole('button', { name: 'Ho conservato il codice' }).click();
    const box = page.getByRole('textbox', { name: 'Codice di recupero' });
    await box.fill('ABCD');
    await page.getByRole('button', { name: 'Continua' }).click();
    await expect(box).toHaveAttribute('aria-invalid', 'true');
    await audit(page, 'recovery code mistyped');
    await box.fill(code);
    await page.getByRole('button', { name: 'Continua' }).click();
    await expect(page.getByRole('heading', { name: 'Che cosa serve per segnalare' })).toBeVisible();
    await audit(page, 'what a report needs');
  });
});

test.describe('in a demonstration', () => {
  test.use({ kind: 'demo' });

  test('the banner and the hint', async ({ page, watch }) => {
    await Chat.open(page);
    await audit(page, 'demonstration');
    watch.expect(NOBODY);
    await page.goto('/paibeta/login');
    await expect(new Panel(page).heading('Accesso al pannello')).toBeVisible();
    await audit(page, 'login of a demonstration');
  });
});

test('with forced colours everything keeps an outline', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  const chat = await Chat.open(page);
  await chat.answer(giulia.eta);
  await audit(page, 'forced colours');
  const outline = (element: Element) => {
    const { borderTopStyle, borderTopWidth, outlineStyle } = getComputedStyle(element);
    return (borderTopStyle !== 'none' && borderTopWidth !== '0px') || outlineStyle !== 'none';
  };
  const said = chat.bubbles.getByRole('paragraph');
  const framed = [chat.send, said.first(), said.last()];
  for (const [index, thing] of framed.entries()) {
    expect(await thing.evaluate(outline), `outline of thing ${index}`).toBe(true);
  }
  // The box sits in a frame of its own, or has one itself.
  const box = await chat.box.evaluate((element) =>
    [element, element.parentElement].some(
      (part) => part !== null && getComputedStyle(part).borderTopStyle !== 'none',
    ),
  );
  expect(box).toBe(true);
});

for (const motion of ['reduce', 'no-preference'] as const) {
  test(`the dots keep to the wish for motion: ${motion}`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: motion });
    const chat = await Chat.open(page);
    await page.clock.pauseAt(new Date(Date.now() + 60_000));
    await chat.box.fill(giulia.eta);
    await chat.box.press('Enter');
    const dots = page.getByTestId('typing');
    await expect(dots).toBeVisible();
    const moving = await dots.evaluate(
      (element) =>
        element
          .getAnimations({ subtree: true })
          .filter((animation) => Number(animation.effect?.getComputedTiming().duration) > 10).length,
    );
    expect(moving).toBe(motion === 'reduce' ? 0 : 3);
  });
}

test('what axe is there to find is found, in the theme that shows it', async ({ page }) => {
  await page.goto('/paibeta/seguito');
  await expect(page.getByLabel('Il tuo codice')).toBeVisible();
  await audit(page, 'nothing added');
  const add = (tag: string, color: string) =>
    page.evaluate(
      ([name, shown]) => {
        const added = document.createElement(name);
        added.textContent = name === 'p' ? 'Poco leggibile' : '';
        added.style.color = shown;
        document.querySelector('form')?.append(added);
      },
      [tag, color] as const,
    );
  const remove = () => page.evaluate(() => document.querySelector('form > :last-child')?.remove());
  for (const [tag, color, found] of [
    ['p', 'light-dark(#ccc, #fff)', /not dark.*color-contrast/s],
    ['p', 'light-dark(#000, #444)', /color-contrast/],
    ['input', '', /label/],
  ] as const) {
    await add(tag, color);
    await expect(audit(page, tag), color).rejects.toThrow(found);
    await remove();
  }
  await audit(page, 'all removed');
});
