/** A newsroom at work, to take pictures of: thirty invented reports of four weeks, six of them from a callout, two stories, two people. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { ChatReply, Related, ReportList } from '../../src/shared/api/schema';
import { Api, PASSWORD, type SessionCookie } from '../support/api';
import type { Person } from '../support/people';
import { restore, type Server } from '../support/server';

const DAY_MS = 86_400_000;

/** A story as people made it: its title, and its name in the file of invented reports. */
const STORIES = [
  ['Pronto soccorso del San Rocco', 'dS10'],
  ['Vigilanza Falco, stipendi in ritardo', 'dS13'],
] as const;

/** Reports that came by the usual conversation, and what answers to the callout came between them. */
const TOLD = 24;
const ANSWERS = [
  [
    'Milano',
    '480',
    'Ho pagato due mesi in contanti prima di avere le chiavi, e la stanza era già di un altro.',
  ],
  [
    'Roma',
    '525',
    'L’agenzia vuole cento euro solo per far vedere la stanza: in quattro giorni ne ho viste cinque.',
  ],
  [
    'Milano',
    '610',
    'Il proprietario chiede un mese in nero oltre al contratto, e la ricevuta non arriva mai.',
  ],
  [
    'Bologna',
    '430',
    'Siamo in sei in tre camere, e a ognuno hanno fatto firmare un contratto diverso dagli altri.',
  ],
  [
    'Milano',
    '700',
    'Mi hanno chiesto la caparra via internet, poi l’annuncio è sparito insieme alla persona.',
  ],
  [
    'Roma',
    '550',
    'Affittano i letti a turni: di giorno ci dorme chi lavora di notte, e nessuno ha un contratto.',
  ],
] as const;

const FIRST_NAMES = [
  'Anna',
  'Bruno',
  'Carla',
  'Davide',
  'Elena',
  'Fabio',
  'Grazia',
  'Ivan',
  'Laura',
  'Mauro',
];
const SURNAMES = [
  'Bellini',
  'Costa',
  'De Luca',
  'Esposito',
  'Ferri',
  'Galli',
  'Marini',
  'Rizzo',
  'Santoro',
  'Villa',
];
const STREETS = ['Via Garibaldi', 'Corso Italia', 'Piazza Dante', 'Via Mazzini', 'Viale Europa'];
const TOWNS = ['Torino', 'Bari', 'Verona', 'Palermo', 'Bologna', 'Pescara'];

const STATES = ['Nuova', 'In lavorazione', 'Risolta', 'In lavorazione', 'Nuova'] as const;

/** Conversations of the callout that are under way. */
const UNDER_WAY = 9;

interface Account {
  story: string | null;
  text: string;
}

/** Long enough to be taken, and without a word that the settings forbid. */
const fits = ({ text }: Account) => text.split(' ').length > 25 && !/avvocat|carabinier/i.test(text);

function accounts(): Account[] {
  const all = readFileSync('../models/stories/dev_stories.jsonl', 'utf8').trim().split('\n');
  const known = all.map((line) => JSON.parse(line) as Account).filter(fits);
  const names = new Set<string | null>(STORIES.map(([, name]) => name));
  const stories = known.filter(({ story }) => names.has(story));
  const singles = known.filter(({ story }) => story === null).slice(0, TOLD - stories.length);
  return known.filter((account) => stories.includes(account) || singles.includes(account));
}

const pick = (list: readonly string[], n: number) => list[n % list.length] ?? '';

function personOf({ text }: Account, n: number): Person {
  const [nome, cognome] = [pick(FIRST_NAMES, n), pick(SURNAMES, 3 * n + Math.floor(n / 10))];
  return {
    eta: String(24 + ((n * 7) % 50)),
    nome,
    cognome,
    telefono: `333 55${String(10_000 + 37 * n)}`,
    email: `${nome}.${cognome.replace(' ', '')}${n}@esempio.example`.toLowerCase(),
    indirizzo: `${pick(STREETS, n)} ${n + 3}, ${pick(TOWNS, n)}`,
    segnalazione: text,
  };
}

const answer = async <T>(of: Promise<Response>): Promise<T> => (await (await of).json()) as T;

/** Sends what is told one after the other back to the four weeks before today, by way of a backup. */
async function spreadOut(server: Server, api: Api): Promise<void> {
  const backup = await answer<{ reports: object[] }>(api.fetch('GET', '/backup'));
  const reports = backup.reports.map((report, n) => {
    const earlier = (moment: string) => new Date(Date.parse(moment) - n * 0.93 * DAY_MS).toISOString();
    return JSON.parse(JSON.stringify(report).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, earlier)) as object;
  });
  const file = join(server.folder, 'backup.json');
  writeFileSync(file, JSON.stringify({ ...backup, reports }));
  await server.stop();
  await restore(server.folder, file);
  await server.restart();
}

const CALLOUT = {
  slug: 'posti-letto',
  title: 'Avete pagato per un posto letto?',
  intro: 'Chi cerca una stanza paga anche solo per vederla. Raccontateci com’è andata.',
  account: 'required',
  personal: { nome: 'required', cognome: 'required' },
  questions: [
    {
      key: 'dove',
      kind: 'choice',
      text: 'Dove è successo?',
      required: true,
      options: ['Milano', 'Roma', 'Bologna'].map((text) => ({ key: text.toLowerCase(), text, next: null })),
    },
    { key: 'quanto', kind: 'number', text: 'Quanto hai pagato al mese?', required: true, min: 1, max: 5000 },
  ],
};

async function answerCallout(api: Api, n: number): Promise<void> {
  const [town, paid, account] = ANSWERS[n] ?? ANSWERS[0];
  const answers = [
    String(21 + n),
    town,
    paid,
    account,
    pick(FIRST_NAMES, n + 4),
    pick(SURNAMES, n + 5),
    'no',
  ];
  let reply = await answer<ChatReply>(api.fetch('POST', '/chat', { callout: CALLOUT.slug }));
  for (const text of answers) {
    reply = await answer(api.fetch('POST', '/chat/turns', { conversation: reply.conversation, text }));
  }
  expect(reply.reportId, `${reply.state}: ${reply.messages.map(({ text }) => text).join(' ')}`).toBeTruthy();
}

export interface Archive {
  /** A session of the person who looks at the screens. */
  session: SessionCookie;
  story: string;
  callout: string;
  /** The report that is shown whole. */
  report: string;
}

export async function fill(server: Server, api: Api): Promise<Archive> {
  const told = accounts();
  await api.saveSecurity({ maxReportsPerDay: 10_000 });
  // A newsroom at work has been through what is to be settled before.
  await api.saveSystem({
    openingSettled: 'posta, reparti, domande, recapiti, promesse, backup, amministratore',
  });
  const callout = await api.openCallout(CALLOUT);
  for (const [n, account] of told.entries()) {
    await api.tell(personOf(account, n));
    if (n % 4 === 2) {
      await answerCallout(api, (n - 2) / 4);
    }
  }
  await spreadOut(server, api);
  await api.logIn(PASSWORD);
  await api.fetch('POST', '/system/authenticity');
  for (let n = 0; n < UNDER_WAY; n += 1) {
    await api.fetch('POST', '/chat', { callout: CALLOUT.slug });
  }

  const marta = await api.welcome(
    { name: 'Marta Neri', user: 'marta', role: 'amministratore', departments: [] },
    PASSWORD,
  );
  const luca = await api.welcome(
    { name: 'Luca Bassi', user: 'luca', role: 'redattore', departments: [] },
    PASSWORD,
  );
  const desk = new Api(server.origin, marta.cookie);
  const { data } = await answer<ReportList>(desk.fetch('GET', '/reports?limit=200'));
  const idOf = (account: Account) => {
    const { nome, cognome } = personOf(account, told.indexOf(account));
    return data.find((row) => row.nome === nome && row.cognome === cognome)?.id ?? '';
  };

  const made: string[] = [];
  for (const [title, name] of STORIES) {
    const reports = told.filter(({ story }) => story === name).map(idOf);
    made.push((await answer<{ id: string }>(desk.fetch('POST', '/stories', { title, reports }))).id);
  }
  for (const [n, { id }] of data.entries()) {
    const stato = STATES[n % STATES.length] ?? 'Nuova';
    // What is new was not opened yet.
    if (stato !== 'Nuova') {
      await desk.change(id, { stato, assegnataA: n % 2 === 0 ? luca.id : marta.id });
    }
  }
  const [longest] = told
    .filter(({ story }) => story === STORIES[0][1])
    .sort((one, other) => other.text.length - one.text.length);
  const report = longest === undefined ? '' : idOf(longest);
  await desk.change(report, {
    stato: 'In lavorazione',
    assegnataA: luca.id,
    note: 'Sentito al telefono: conferma i turni, e un collega è disposto a parlare.',
  });

  // Of each guess that the program has about it, the newsroom has said that it is another matter.
  const guesses = async () => {
    const { ready, maybe } = await answer<Related>(desk.fetch('GET', `/reports/${report}/related`));
    for (const { id } of maybe) {
      await desk.fetch('POST', '/stories/apart', { a: report, b: id });
    }
    return ready ? maybe.length : undefined;
  };
  await expect.poll(guesses, { timeout: 60_000 }).toBe(0);
  return { session: marta.cookie, story: made[0] ?? '', callout, report };
}
