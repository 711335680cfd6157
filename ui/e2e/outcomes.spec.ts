/** What a press on a settings page brings stands in the window, in front of everything, while there is something to save. */
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';

const WINDOWS = [
  [320, 568],
  [1366, 650],
] as const;

/** How much of it, in hundredths, is in the window with nothing in front: asked of the window itself, at nine points. */
const shareInFront = (outcome: Locator) =>
  outcome.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const at = [0.02, 0.5, 0.98];
    const points = at.flatMap((x) => at.map((y) => [left + x * width, top + y * height] as const));
    const shown = points.filter(([x, y]) => element.contains(document.elementFromPoint(x, y)));
    return Math.round((100 * shown.length) / points.length);
  });

interface Press {
  name: string;
  page: string;
  /** Leaves something to be saved, so that the bar sticks. */
  prepare: (page: Page) => Promise<unknown>;
  button: string;
  outcome: (page: Page) => Locator;
}

const boxed = (page: Page, text: RegExp) => page.getByRole('status').filter({ hasText: text }).locator('> *');

const PRESSES: readonly Press[] = [
  {
    name: 'a mail server that is not there',
    page: 'email/mail-server',
    prepare: async (page) => {
      await page.getByLabel('Server', { exact: true }).fill('127.0.0.1');
      await page.getByLabel('Porta').fill('9');
      await page.getByLabel('Mittente').fill('posta@esempio.example');
    },
    button: 'Test Email',
    outcome: (page) => page.getByRole('alert').filter({ hasText: 'Errore durante il test email' }),
  },
  {
    name: 'a webhook within this machine',
    page: 'system/webhook',
    prepare: (page) => page.getByLabel('Indirizzo del webhook').fill('https://127.0.0.1:9/'),
    button: 'Test Webhook',
    outcome: (page) => page.getByRole('alert').filter({ hasText: 'Errore durante il test webhook' }),
  },
  {
    name: 'a new signing key',
    page: 'system/webhook',
    prepare: (page) => page.getByLabel('Che cosa inviare').selectOption('thin'),
    button: 'Genera una chiave di firma',
    outcome: (page) => boxed(page, /Nuova chiave di firma/),
  },
  {
    name: 'the department of a text',
    page: 'email/departments',
    prepare: async (page) => {
      await page.getByLabel('Come si sceglie il reparto').selectOption('keywords');
      await page.getByText('Avanzate', { exact: true }).click();
      await page.getByLabel('Testo di prova').fill('Una discarica abusiva di rifiuti.');
    },
    button: 'Prova',
    outcome: (page) => boxed(page, /Ambiente\/Territorio/),
  },
  {
    name: 'the departments of what has arrived',
    page: 'email/departments',
    prepare: async (page) => {
      await page.getByLabel('Come si sceglie il reparto').selectOption('keywords');
      await page.getByText('Avanzate', { exact: true }).click();
    },
    button: 'Prova sulle segnalazioni arrivate',
    outcome: (page) => boxed(page, /Non c’è ancora nessuna segnalazione/),
  },
];

for (const [width, height] of WINDOWS) {
  test.describe(`${width} × ${height}`, () => {
    test.use({ viewport: { width, height } });

    for (const { name, page: path, prepare, button, outcome } of PRESSES) {
      test(name, async ({ page, context, logIn }) => {
        await logIn(context);
        await page.goto(`/paibeta/admin/settings/${path}`);
        await prepare(page);
        await expect(page.getByText('Modifiche non salvate')).toBeInViewport();
        await page.getByRole('button', { name: button, exact: true }).click();
        await expect(outcome(page)).toBeVisible();
        await expect.poll(() => shareInFront(outcome(page))).toBe(100);
      });
    }
  });
}
