/** The end of a conversation says one thing, and has the code in sight. */
import { expect, test } from './fixtures';
import { expectNoSidewaysScroll } from './support/audit';
import { Chat } from './support/chat';
import { giulia } from './support/people';
import { expectInSight, expectNoTaller, inEveryWindow, tryToScroll } from './support/windows';

const CODE = /[0-9A-Z]{5}(-[0-9A-Z]{5}){3}/;

test('the code stands in large letters, with one button that stands out, in every window', async ({
  page,
}) => {
  const chat = await Chat.open(page);
  await chat.tell(giulia);
  await chat.finish();
  const code = page.getByRole('region', { name: 'Ricevuta' }).getByText(CODE);
  const keep = page.getByRole('button', { name: 'Salva il codice' });
  const end = {
    heading: page.getByRole('heading', { name: /è arrivata alla redazione di Le Iene\.$/ }),
    code,
    keep,
    follow: page.getByRole('link', { name: 'Segui la segnalazione' }),
    again: page.getByRole('button', { name: 'Nuova segnalazione' }),
    name: page.getByRole('heading', { level: 1 }),
  };
  await inEveryWindow(page, async () => {
    await expectInSight(end);
    const letters = await code.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));
    expect(letters).toBeGreaterThanOrEqual(20);
    await expect(page.locator('[data-main]:visible')).toHaveCount(1);
    await expectNoTaller(page);
    await expectNoSidewaysScroll(page, 'the end');
    await tryToScroll(page);
    await expectInSight({ keep, follow: end.follow, name: end.name });
    await expectNoTaller(page);

    await keep.click();
    const ways = page.getByRole('dialog', { name: 'Salva il codice' });
    const draw = ways.getByRole('button', { name: 'Mostra il QR' });
    if (await draw.isVisible()) {
      await draw.click();
    }
    await expectInSight({
      qr: ways.getByRole('img'),
      copy: ways.getByRole('button', { name: 'Copia' }),
      file: ways.getByRole('button', { name: 'Salva come file' }),
    });
    await expectNoSidewaysScroll(page, 'ways to keep the code');
    await page.keyboard.press('Escape');
    await expect(ways).toBeHidden();
    await expect(keep).toBeFocused();
  });
});
