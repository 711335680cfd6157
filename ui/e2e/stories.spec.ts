/** Storie: what belongs together is one thing, with one message to all of it. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { audit, expectNoSidewaysScroll } from './support/audit';
import { Panel } from './support/panel';
import { giulia, matteo, nicolo } from './support/people';
import { expectInSight, expectNoTaller, tryToScroll } from './support/windows';

const WINDOWS = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
] as const;

test.beforeEach(async ({ context, logIn }) => {
  await logIn(context);
});

async function makeStory(page: Page, title: string): Promise<void> {
  await new Panel(page).openList();
  await page.getByRole('checkbox', { name: /Seleziona .* Giulia/ }).click();
  await page.getByRole('checkbox', { name: /Seleziona .* Matteo/ }).click();
  const bar = page.getByRole('region', { name: 'Modifica insieme' });
  await bar.getByRole('button', { name: 'Storia' }).click();
  await page.getByRole('option', { name: 'Nuova storia…' }).click();
  await page.getByRole('textbox', { name: 'Titolo' }).fill(title);
  await audit(page, 'a new story');
  await page.keyboard.press('Enter');
  await expect(new Panel(page).heading(title)).toBeVisible();
}

test('a selection becomes a story, is written to and read, and each page says so', async ({ page, api }) => {
  const { code } = await api.tellForCode(giulia);
  await api.tell(matteo);
  const entered = { nome: 'Rita', cognome: 'Galli', segnalazione: 'Lo stesso racconto, al telefono.' };
  await api.fetch('POST', '/reports', { ...entered, origine: 'telefono' });
  await makeStory(page, 'La mensa di via Bixio');
  const panel = new Panel(page);
  for (const window of WINDOWS) {
    await page.setViewportSize(window);
    await expectInSight({
      title: panel.heading('La mensa di via Bixio'),
      size: page.getByText('2 segnalazioni · tutte in sette giorni'),
      write: page.getByRole('button', { name: 'Scrivi a tutti' }),
      reports: panel.rows.nth(1),
    });
    await audit(page, `a story, ${window.width}`);
  }
  await page.setViewportSize({ width: 320, height: 568 });
  await expectNoSidewaysScroll(page, 'a story');
  await page.setViewportSize({ width: 1280, height: 800 });

  // By hand one more, who has no code.
  await panel.openList();
  await page.getByRole('checkbox', { name: /Seleziona .* Rita/ }).click();
  await page.keyboard.press('s');
  await page.getByRole('option', { name: 'Aggiungi a «La mensa di via Bixio»' }).click();
  await expect(page.getByRole('status').getByText(/mensa di via Bixio/)).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  const list = page.getByRole('list', { name: 'Storie' });
  await expect(list.getByText('3 segnalazioni')).toBeInViewport();
  await audit(page, 'the stories');
  await list.getByRole('link', { name: 'La mensa di via Bixio' }).click();
  await expect(panel.rows).toHaveCount(3);
  await page.keyboard.press('w');
  await expect(page.getByText(/senza messaggio: Rita Galli$/)).toBeVisible();
  await page.getByRole('textbox', { name: 'Messaggio' }).fill('In che giorno è successo?');
  await audit(page, 'a message to all');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('Inviato a 2 · La mensa di via Bixio')).toBeInViewport();
  await expect(page.getByText('Letto da 0, risposto da 0')).toBeVisible();
  await audit(page, 'what became of a message to all');

  await api.fetch('POST', '/receipts/messages', { code });
  await page.reload();
  const read = page.getByText(/^Letto da/);
  await read.click();
  await expect(page.getByRole('row', { name: /Giulia Ferraro/ }).last()).toBeVisible();
  await audit(page, 'who has read');

  await panel.openList();
  await panel.open(giulia);
  await expect(page.getByRole('link', { name: '«La mensa di via Bixio»' })).toBeInViewport();
  await audit(page, 'a report of a story');
});

test('a story is renamed, loses a report, and is dissolved', async ({ page, api }) => {
  await api.tell(giulia);
  await api.tell(matteo);
  await api.tell(nicolo);
  await makeStory(page, 'Due cose');
  await page.getByRole('textbox', { name: 'Titolo' }).fill('Una cosa sola');
  await page.getByRole('textbox', { name: 'Note' }).fill('Da sentire lunedì.');
  await page.getByRole('button', { name: 'Salva', exact: true }).click();
  await expect(new Panel(page).heading('Una cosa sola')).toBeVisible();
  await page.getByRole('link', { name: 'Apri nell’elenco' }).click();
  const chip = page.getByRole('button', { name: /^Togli il filtro Storia .*Una cosa sola/ });
  await expect(chip).toBeVisible();
  const panel = new Panel(page);
  await expect(panel.rows).toHaveCount(2);
  await page.getByRole('checkbox', { name: /Seleziona .* Matteo/ }).click();
  await page.keyboard.press('s');
  await page.getByRole('option', { name: 'Togli dalla storia' }).click();
  await expect(panel.rows).toHaveCount(1);
  await page.keyboard.press('z');
  await expect(panel.rows).toHaveCount(2);
  await chip.click();
  await expect(panel.rows).toHaveCount(3);

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Comandi' }).fill('cosa sola');
  await page.getByRole('option', { name: /Una cosa sola/ }).click();
  await page.getByRole('button', { name: 'Sciogli la storia' }).click();
  await page.getByRole('button', { name: 'Sciogli', exact: true }).click();
  await expect(page.getByText('Sciolta: Una cosa sola')).toBeVisible();
  await expect(page.getByText(/Nessuna, per ora/)).toBeVisible();
  expect((await api.list()).data.map(({ story }) => story)).toEqual([null, null, null]);
});

/** Ten matters, each told by three people in their own words. */
const MATTERS: readonly (readonly [string, string, string])[] = [
  [
    'Nella clinica Serenella il dottor Montaldo fa pagare in contanti l’ecografia e non rilascia ricevuta.',
    'Mia madre ha aspettato sei mesi alla Serenella; poi Montaldo le ha chiesto duecento euro per l’ecografia subito.',
    'Lavoro alla Serenella: le ecografie del dottor Montaldo saltano la lista, basta pagare lui.',
  ],
  [
    'La ditta Brughieri scarica fusti di solvente nel torrente Vallescura, di notte, con un camion verde.',
    'Pesco nel torrente Vallescura: pesci morti dopo ogni passaggio dei camion della Brughieri.',
    'Ero autista alla Brughieri, ci facevano svuotare i fusti di solvente nel Vallescura per risparmiare.',
  ],
  [
    'Al cantiere della Torre Saracena l’impresa Gattinoni tiene operai senza casco e senza contratto.',
    'Mio cugino è caduto dal ponteggio della Torre Saracena; la Gattinoni ha detto di non chiamare l’ambulanza.',
    'Per la Gattinoni ho lavorato un mese sul ponteggio della Saracena, pagato a giornata in nero.',
  ],
  [
    'Il preside Malacarne ha assunto la nipote come tutor al liceo Pitagora senza alcun bando.',
    'Insegno al Pitagora: i fondi per i laboratori li gestisce Malacarne con ditte di parenti.',
    'Al liceo Pitagora chi non paga il contributo deciso da Malacarne resta fuori dalle gite.',
  ],
  [
    'L’assessore Quartaroli vende le concessioni dei chioschi sul lungolago Bellariva.',
    'Per il mio chiosco a Bellariva un uomo di Quartaroli mi ha chiesto tremila euro in una busta.',
    'Le concessioni di Bellariva sono tutte in mano ad amici dell’assessore Quartaroli.',
  ],
  [
    'La palestra Olimpo di Zaccaria vende anabolizzanti ai ragazzi nello spogliatoio.',
    'Mio figlio di sedici anni prende pillole comprate da Zaccaria alla palestra Olimpo.',
    'Ero iscritto all’Olimpo: Zaccaria tiene gli anabolizzanti nell’armadietto verde.',
  ],
  [
    'I buoni spesa del Comune li raccoglie il supermercato Fiordaliso, dove Pancaldi ne trattiene metà.',
    'Al Fiordaliso il gestore Pancaldi cambia i buoni spesa in contanti e si tiene la metà.',
    'Pancaldi mi ha rifiutato i buoni spesa al Fiordaliso perché non volevo la sua quota.',
  ],
  [
    'Il canile Codabianca prende rimborsi per cani morti: il veterinario Sgarbossa firma tutto.',
    'Ho fatto la volontaria a Codabianca, i microchip dei cani morti li riusa Sgarbossa.',
    'Al Codabianca spariscono i cani e Sgarbossa certifica adozioni che non esistono.',
  ],
  [
    'La cooperativa Girasole di Tramontin fa firmare ai braccianti buste paga per ore mai pagate.',
    'Raccolgo pomodori per la Girasole: Tramontin si riprende in contanti metà della busta paga.',
    'Tramontin minaccia i braccianti della Girasole che chiedono le ore vere in busta paga.',
  ],
  [
    'La casa di riposo Villa Ginestra lega gli anziani ai letti: lo ordina la caposala Ferrabosco.',
    'A Villa Ginestra mio nonno aveva i polsi segnati e la Ferrabosco ci ha vietato le visite.',
    'Facevo i turni di notte a Ginestra, con la Ferrabosco che faceva legare gli anziani.',
  ],
];

/** Long enough that nothing more is asked. */
const ENDS = [
  'Va avanti da quasi due anni e nessuno interviene, anche se in tanti lo sanno bene.',
  'L’ho visto con i miei occhi lo scorso inverno e posso raccontarlo con calma, se serve.',
  'Ho conservato qualche foglio e due fotografie, ma non voglio che si sappia chi sono io.',
];

/** A stranger for each matter: names the same, and tells of something else. */
const STRANGERS = [
  'Davanti alla Serenella il marciapiede è pieno di buche: l’edicolante Montaldo e io scriviamo al Comune da mesi.',
  'Lungo il Vallescura passa la ciclabile: un ciclista della Brughieri mi ha investito e la polizza non paga.',
  'Alla Torre Saracena mi hanno rubato la borsa; il vigile Gattinoni non ha voluto prendere la denuncia.',
  'Mia figlia va al Pitagora a piedi: il semaforo davanti al bar Malacarne è spento da settimane.',
  'A Bellariva l’ascensore per i disabili è fermo; il geometra Quartaroli aspetta un pezzo da un anno.',
  'Sopra la palestra Olimpo c’è un’antenna mai autorizzata: il condominio Zaccaria non dorme più.',
  'Nel parcheggio del Fiordaliso il carro attrezzi di Pancaldi chiede trecento euro per ridarti la macchina.',
  'Sulla strada di Codabianca il pullman salta due fermate: Sgarbossa, l’autista, dice che così ordina l’azienda.',
  'Il nido Girasole ha il tetto di eternit e la maestra Tramontin ci ha fatto firmare di non parlarne.',
  'Dietro Villa Ginestra un allevamento brucia plastica di notte, e il fumo arriva al panificio Ferrabosco.',
];

/** Proposals of the ten matters that have to hold a stranger, for the walk to be one. */
const MIXED = 5;

const LETTER = 'Siamo più di uno: può dirci in che giorno è successo?';

/** Ordinary reports, each of a matter of its own. */
const ORDINARY = readFileSync('../models/routing/examples.jsonl', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => (JSON.parse(line) as { text: string }).text);

interface Proposed {
  key: string;
  heads: { id: string; cognome: string }[];
}

const isStranger = ({ cognome }: { cognome: string }) => cognome.startsWith('Altrove');

test('beside an open proposal the list scrolls, and never the page', async ({ page, api }) => {
  const told = MATTERS.flatMap((accounts, matter) =>
    accounts.map((text, n) => ({
      ...giulia,
      telefono: `33${n} 4${matter}0 10${matter}${n}`,
      email: `voce${matter}${n}@esempio.example`,
      segnalazione: `${text} ${ENDS[n]}`,
    })),
  );
  await api.tellMany(told);
  const proposed = async () => {
    const { data } = (await (await api.fetch('GET', '/stories/proposals')).json()) as { data: Proposed[] };
    return data.length;
  };
  await expect.poll(proposed, { timeout: 60_000 }).toBeGreaterThanOrEqual(8);
  // Too low for the list, so that it scrolls.
  await page.setViewportSize({ width: 1366, height: 420 });
  await page.goto('/paibeta/admin/storie');
  const rows = page.getByRole('list', { name: 'Proposte' }).getByRole('link');
  await expect(rows.nth(7)).toBeAttached();
  await expect(rows.last()).not.toBeInViewport();
  await expectNoTaller(page);
  // Straight after loading, before anything has the focus.
  const first = page.getByRole('list', { name: 'Segnalazioni della proposta' }).getByRole('button').first();
  await page.keyboard.press('Enter');
  await expect(first).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(first).toHaveAttribute('aria-expanded', 'true');
  await expectNoTaller(page);
  await tryToScroll(page);
  await expectNoTaller(page);
});

test('from three hundred reports to ten stories without strangers, each written to, in seventy actions', async ({
  page,
  api,
}) => {
  test.setTimeout(600_000);
  const voice = (segnalazione: string, nome: string, cognome: string, matter: number, n: number) => ({
    ...giulia,
    nome,
    cognome: `${cognome} ${'ABCDEFGHIL'[matter]}`,
    telefono: `33${n} 4${matter}0 10${matter}${n}`,
    email: `voce${matter}${n}@esempio.example`,
    segnalazione: `${segnalazione} ${ENDS[n % ENDS.length]}`,
  });
  const told = MATTERS.flatMap((accounts, matter) => [
    ...accounts.map((text, n) => voice(text, ['Anna', 'Bruno', 'Carla'][n] ?? '', 'Rossi', matter, n)),
    voice(STRANGERS[matter] ?? '', 'Dario', 'Altrove', matter, 3),
  ]);
  await api.tellMany(told);
  for (let n = told.length; n < 300; n += 1) {
    const segnalazione = ORDINARY[n];
    const entry = { nome: 'Persona', cognome: 'Sola', segnalazione, origine: 'lettera' };
    await api.fetch('POST', '/reports', entry);
  }
  const proposed = async (): Promise<Proposed[]> => {
    const answer = await api.fetch('GET', '/stories/proposals');
    const { data, ready } = (await answer.json()) as { data: Proposed[]; ready: boolean };
    return ready ? data.filter(({ heads }) => heads.length >= 3) : [];
  };
  await expect.poll(async () => (await proposed()).length, { timeout: 120_000 }).toBeGreaterThanOrEqual(10);
  const before = (await proposed()).slice(0, 10);
  expect(before.filter(({ heads }) => heads.some(isStranger)).length).toBeGreaterThanOrEqual(MIXED);

  let actions = 0;
  const act = async (done: Promise<unknown>) => {
    actions += 1;
    await done;
  };
  await new Panel(page).openList();
  await act(page.keyboard.press('g'));
  await act(page.keyboard.press('o'));
  const proposals = page.getByRole('list', { name: 'Proposte' }).getByRole('link');
  const current = page.getByRole('list', { name: 'Proposte' }).locator('a[aria-current]');
  const reports = page.getByRole('list', { name: 'Segnalazioni della proposta' });
  await expect(reports).toBeVisible();
  for (let n = 1; n <= 10; n += 1) {
    for (const stranger of await reports.getByRole('checkbox', { name: /Altrove/ }).all()) {
      // Read, before it is taken out.
      await act(
        reports
          .getByRole('button', { name: /Altrove/ })
          .first()
          .click(),
      );
      await act(stranger.click());
    }
    const address = (await current.getAttribute('href')) ?? '';
    const kept = await reports.getByRole('checkbox', { checked: true }).count();
    await act(page.keyboard.press('w'));
    await act(page.getByRole('textbox', { name: 'Messaggio' }).fill(LETTER));
    await act(page.keyboard.press('Control+Enter'));
    await expect(page.getByText(new RegExp(`^Inviato a ${kept} · .*: una storia di ${kept}$`))).toBeVisible();
    await expect(page.getByRole('list', { name: 'Storie' }).getByRole('listitem')).toHaveCount(n);
    if (n < 10) {
      await expect(current).not.toHaveAttribute('href', address);
    }
    if (n === 4) {
      await lookAtProposals(page);
    }
  }
  expect(actions).toBeLessThanOrEqual(70);
  await expect(proposals.filter({ hasText: 'Altrove' })).toHaveCount(0);

  const stories = (await (await api.fetch('GET', '/stories')).json()) as { data: { id: string }[] };
  expect(stories.data).toHaveLength(10);
  const written = new Set<string>();
  for (const { id } of stories.data) {
    const rows = await api.list(`?story=${id}`);
    expect(rows.data.filter(isStranger), 'strangers stay out').toEqual([]);
    const sent = await api.fetch('GET', `/messages/bulk?story=${id}`);
    const { data } = (await sent.json()) as { data: { sent: number; reports: { id: string }[] }[] };
    expect(data.map((one) => one.sent)).toEqual([rows.data.length]);
    for (const one of data.flatMap((letter) => letter.reports)) {
      written.add(one.id);
    }
  }
  const strangers = before.flatMap(({ heads }) => heads).filter(isStranger);
  expect(
    strangers.filter(({ id }) => written.has(id)),
    'no stranger was written to',
  ).toEqual([]);
  // The last one, and its message, are taken back by one key.
  await page.keyboard.press('z');
  await expect(page.getByRole('list', { name: 'Storie' }).getByRole('listitem')).toHaveCount(9);
});

/** Four stories stand above the proposals. */
async function lookAtProposals(page: Page): Promise<void> {
  const proposals = page.getByRole('list', { name: 'Proposte' }).getByRole('link');
  const title = page.getByRole('textbox', { name: 'Titolo' });
  const answer = page.getByRole('button', { name: /^Sì, una storia/ });
  await page.setViewportSize({ width: 1366, height: 650 });
  await expectInSight({ title, answer, fifth: proposals.nth(4) });
  await audit(page, 'a proposal beside the list');
  await page.emulateMedia({ forcedColors: 'active' });
  await page.reload();
  await expectInSight({ title, answer });
  await audit(page, 'proposals in forced colours');
  await page.emulateMedia({ forcedColors: null });
  // There the open one stands alone.
  const back = page.getByRole('link', { name: 'Storie', exact: true });
  await page.setViewportSize(WINDOWS[0]);
  await back.click();
  for (const window of [WINDOWS[0], { width: 320, height: 568 }]) {
    await page.setViewportSize(window);
    await expectInSight({ first: proposals.first() });
    await expectNoSidewaysScroll(page, `proposals, ${window.width}`);
    await audit(page, `proposals, ${window.width}`);
    await proposals.first().click();
    await expectInSight({ title, answer });
    await expectNoSidewaysScroll(page, `a proposal, ${window.width}`);
    await audit(page, `a proposal, ${window.width}`);
    await back.click();
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await proposals.first().click();
}
