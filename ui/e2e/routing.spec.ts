/** Which desk a report goes to: said at the report with its reason, moved there, and tried out before it is saved. */
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Panel } from './support/panel';
import { giulia } from './support/people';

const TEXT =
  'Nel bosco dietro la cava hanno scaricato fusti di rifiuti tossici e amianto, la discarica abusiva inquina il fiume.';

test.beforeEach(async ({ context, logIn }) => {
  await logIn(context);
});

test('a report says on which desk it is and why, and is moved to another', async ({ page, api }) => {
  const id = await api.tell({ ...giulia, segnalazione: TEXT });
  const panel = new Panel(page);
  await panel.openReport(id);
  const card = await panel.unfold('Perché questo reparto');
  await expect(card).toContainText('Ambiente/Territorio');
  await expect(
    card.getByRole('list', { name: 'Parole trovate' }).getByRole('listitem').first(),
  ).toBeVisible();
  await audit(page, 'a report with its department');
  await panel.department.selectOption('Criminalità/Sicurezza');
  await expect(page.getByText('In Criminalità/Sicurezza: ')).toBeVisible();
  await expect(panel.card('Cronologia')).toContainText('Criminalità/Sicurezza');
  expect((await api.detail(id)).department).toBe('criminalita');
  await page.setViewportSize({ width: 320, height: 700 });
  await expectNoSidewaysScroll(page, 'a report with its department');
});

/** Arrives in the fallback, with nothing in it that speaks loudly for a desk. */
const BERTHS =
  'Al porto turistico i posti barca comunali vanno sempre agli stessi tre nomi. Il bando esce la vigilia di ferragosto e resta affisso mezza giornata, e chi telefona in capitaneria si sente dire di aspettare il prossimo anno.';

test('a moved report is remembered, and forgotten on demand', async ({ page, api }) => {
  const id = await api.tell({ ...giulia, segnalazione: BERTHS });
  await api.change(id, { department: 'corruzione' });
  const card = page.getByRole('region', { name: 'Che cosa ricorda lo smistamento' });
  await page.goto('/paibeta/admin/settings/email/departments');
  await new Panel(page).unfold('Avanzate');
  await expect(card.getByText('Uno spostamento ricordato.')).toBeVisible();
  await page.getByLabel('Testo di prova').fill(BERTHS);
  await page.getByRole('button', { name: 'Prova', exact: true }).click();
  await expect(
    page.getByText(/^Come una segnalazione quasi uguale .* Corruzione\/Politica\. /),
  ).toBeVisible();
  await audit(page, 'what routing remembers');
  await card.getByRole('button', { name: 'Dimentica' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Dimentica' }).click();
  await expect(card.getByText('Nessuno spostamento ricordato.')).toBeVisible();
  await page.setViewportSize({ width: 320, height: 700 });
  await expectNoSidewaysScroll(page, 'what routing remembers');
});
