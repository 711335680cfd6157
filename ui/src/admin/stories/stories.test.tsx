import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Story } from '../../shared/api/schema';
import { type Answer, problem } from '../../shared/testing/server';
import type { Who } from '../common/session/session-store';
import { useRead } from '../common/use-read';
import { KeyboardProvider } from '../keyboard/keyboard-context';
import { MaybeLine } from '../report/maybe-line';
import { press as click, openPage, pass, type } from '../testing/panel-page';
import { sampleReport, sampleRow } from '../testing/samples';
import { factsOf, type Proposal } from './api';
import { StoriesPage } from './stories-page';
import { StoryTexts } from './story-texts';

/** As wide as list and proposal side by side need, or as a phone. */
const widen = (width: number) =>
  (
    window as unknown as { happyDOM: { setViewport: (size: { width: number }) => void } }
  ).happyDOM.setViewport({
    width,
  });
beforeEach(() => widen(1366));

const story: Story = {
  id: 's1',
  title: 'Clinica San Marco',
  note: 'Sentire la regione.',
  reports: 13,
  week: 12,
  unread: 1,
  answers: 3,
  statuses: { Nuova: 13 },
  departments: ['sanita'],
  people: [{ id: 'p', name: 'Anna Bianchi' }],
  labels: [],
  last: '2026-11-20T10:00:00Z',
  version: 4,
};

const SAID = 'Alla clinica Serenella pagano in nero.';

const luca = (id: string, more: Partial<Proposal['heads'][number]> = {}) => ({
  ...sampleRow({ id, nome: 'Luca', cognome: `Verdi ${id}` }),
  excerpt: SAID,
  marks: 'serenella',
  ...more,
});

const proposed = (key: string, reports: string[], more: Partial<Proposal> = {}): Proposal => ({
  key,
  reports,
  heads: reports.map((id) => luca(id)),
  story: null,
  title: `Proposta ${key}`,
  names: ['Serenella', 'Montaldo'],
  reasons: ['Insieme perché nominano entrambe «Serenella» e «Montaldo».'],
  ...more,
});

/** As the page of a story shows them. */
function Shown() {
  const { data } = useRead('/stories/{id}', {
    with: { path: { id: 's1' } },
    initialData: story,
    staleTime: 60_000,
  });
  return data ? <StoryTexts story={data} /> : null;
}

interface Desk {
  ready?: boolean;
  refused?: { id: string; name: string; detail: string }[];
}

/** A server that proposes these, until each is answered. */
function desk(proposals: Proposal[], { ready = true, refused = [] }: Desk = {}): Answer {
  let left = proposals;
  return ({ method, path, body }) => {
    if (method === 'POST' && path.endsWith('/undo')) {
      left = proposals;
      return new Response(null, { status: 204 });
    }
    if (method === 'POST' && path.startsWith('/stories/proposals/')) {
      left = left.filter(({ key }) => !path.endsWith(`/${key}`));
      const message = (body as { text?: string }).text ? { batch: 'b7', sent: 2, refused } : null;
      return Response.json({ story: 's9', undo: 'sealed', message });
    }
    if (path === '/stories/proposals') {
      return Response.json({ data: left, ready });
    }
    if (path.startsWith('/reports/')) {
      return Response.json(sampleReport({ segnalazione: `${SAID} Da due anni, ogni mese.` }));
    }
    return path.startsWith('/stories')
      ? Response.json({ data: [story], nextCursor: null })
      : Response.json({ data: [], undone: 2 });
  };
}

const open = (answer: Answer, who?: Who) =>
  openPage(
    <KeyboardProvider>
      <StoriesPage />
    </KeyboardProvider>,
    answer,
    who && { who },
  );

const press = async (key: string) => {
  fireEvent.keyDown(document.activeElement ?? document.body, { key });
  await pass(20);
};

const rows = () => within(screen.getByRole('list', { name: 'Proposte' })).getAllByRole('link');
const lines = () => within(screen.getByRole('list', { name: 'Segnalazioni della proposta' }));

describe('the stories', () => {
  it('are told with size, growth, departments and people', () => {
    const facts = (more: Partial<Story>) => factsOf({ ...story, ...more }, () => 'Sanità/Ospedali');
    expect(facts({})).toBe('13 segnalazioni · dodici in sette giorni · Sanità/Ospedali · Anna Bianchi');
    expect(facts({ reports: 3, week: 3 })).toContain(' · tutte in sette giorni · ');
    expect(facts({ reports: 40, week: 21 })).toContain(' · 21 in sette giorni · ');
    expect(facts({ reports: 1, week: 1 })).not.toContain('giorni');
  });

  it('stand above the proposals, each a line', async () => {
    await open(desk([proposed('a', ['1', '2'])]));
    const own = within(screen.getByRole('list', { name: 'Storie' })).getByRole('link');
    expect(own).toHaveAccessibleName('Clinica San Marco 13 segnalazioni · Anna Bianchi 3 risposte');
    expect(rows()[0]).toHaveAccessibleName('Proposta a «Serenella», «Montaldo» 2 segnalazioni');
  });

  it('quote beside a title what it does not name', async () => {
    const title = 'Villa Serenella';
    await open(desk([proposed('a', ['1', '2'], { title })]));
    expect(rows()[0]).toHaveAccessibleName('Villa Serenella «Montaldo» 2 segnalazioni');
  });

  it('say while the archive is still being read, and when there is nothing', async () => {
    await open(desk([], { ready: false }));
    expect(screen.getByText('Sto leggendo l’archivio…')).toBeInTheDocument();
    expect(screen.queryByText(/^Nessuna. Quando/)).toBeNull();
  });
});

describe('a proposal', () => {
  it('is answered by one key, and the next one is open', async () => {
    const page = await open(desk([proposed('a', ['1', '2', '3']), proposed('b', ['4', '5'])]));
    expect(screen.getByLabelText('Titolo')).toHaveValue('Proposta a');
    await press('s');
    expect(page.changes()).toEqual([
      {
        method: 'POST',
        path: '/stories/proposals/a',
        body: { accept: true, title: 'Proposta a', without: [], shown: ['1', '2', '3'] },
      },
    ]);
    expect(screen.getByText('«Proposta a»: una storia di 3')).toBeInTheDocument();
    expect(screen.getByLabelText('Titolo')).toHaveValue('Proposta b');
    expect(document.activeElement).toBe(rows()[0]);
    await press('n');
    expect(page.changes()[1]).toMatchObject({
      path: '/stories/proposals/b',
      body: { accept: false, shown: ['4', '5'] },
    });
    expect(screen.getByText('Nessuna proposta da decidere')).toBeInTheDocument();
  });

  it('has the keys that are pressed while the one before is answered', async () => {
    const page = await open(
      desk([proposed('a', ['1', '2']), proposed('b', ['3', '4']), proposed('c', ['5', '6'])]),
    );
    for (const key of ['n', 'n', 's']) {
      fireEvent.keyDown(document.activeElement ?? document.body, { key });
    }
    await pass(20);
    await pass(20);
    await pass(20);
    expect(page.changes().map(({ path, body }) => [path, body])).toMatchObject([
      ['/stories/proposals/a', { accept: false }],
      ['/stories/proposals/b', { accept: false }],
      ['/stories/proposals/c', { accept: true }],
    ]);
  });

  it('comes back and is open again where the answer is taken back', async () => {
    const page = await open(desk([proposed('a', ['1', '2']), proposed('b', ['4', '5'])]));
    type('Titolo', 'Il mio');
    await press('n');
    expect(screen.getByText('«Proposta a»: cose diverse')).toBeInTheDocument();
    expect(screen.getByLabelText('Titolo')).toHaveValue('Proposta b');
    await click(/^Annulla/);
    await pass(20);
    expect(page.changes()[1]).toMatchObject({
      path: '/stories/proposals/a/undo',
      body: { undo: 'sealed' },
    });
    expect(screen.getByText('Di nuovo proposta: «Proposta a»')).toBeInTheDocument();
    expect(rows()).toHaveLength(2);
    expect(screen.getByLabelText('Titolo')).toHaveValue('Il mio');
    expect(document.activeElement).toBe(rows()[0]);
  });

  it('loses whom one takes out, and keeps what was begun while others are looked at', async () => {
    const page = await open(desk([proposed('a', ['1', '2', '3']), proposed('b', ['4', '5'])]));
    type('Titolo', 'Il mio');
    fireEvent.click(lines().getByRole('checkbox', { name: 'Luca Verdi 2: nella storia' }));
    expect(screen.getByText('resta fuori')).toBeInTheDocument();
    await press('j');
    expect(screen.getByLabelText('Titolo')).toHaveValue('Proposta b');
    await press('k');
    expect(screen.getByLabelText('Titolo')).toHaveValue('Il mio');
    await click('Sì, una storia di 2');
    await pass(20);
    expect(page.changes()[0]?.body).toMatchObject({ title: 'Il mio', without: ['2'] });
  });

  it('is walked through and changed by keys alone', async () => {
    await open(desk([proposed('a', ['1', '2', '3'])]));
    rows()[0]?.focus();
    fireEvent.click(rows()[0] as HTMLElement);
    await press('j');
    await press('x');
    expect(
      lines()
        .getAllByRole('checkbox')
        .map((box) => (box as HTMLInputElement).checked),
    ).toEqual([true, false, true]);
    fireEvent.click(document.activeElement as HTMLElement);
    await pass(20);
    expect(screen.getByText(/Da due anni, ogni mese/)).toBeInTheDocument();
    await press('Escape');
    expect(document.activeElement).toBe(rows()[0]);
  });

  it.each(['Enter', 'x'])(
    'is entered by %s from wherever one is, without taking a report out',
    async (key) => {
      await open(desk([proposed('a', ['1', '2', '3'])]));
      await press(key);
      expect(document.activeElement).toBe(lines().getAllByRole('button')[0]);
      expect(lines().getAllByRole('checkbox', { checked: true })).toHaveLength(3);
    },
  );

  it('says whom its reasons count beside those that stay in', async () => {
    await open(desk([proposed('a', ['1', '2', '3'], { story: 's1' }), proposed('b', ['4', '5', '6'])]));
    expect(screen.getByText(/Contate anche/)).toHaveTextContent(/Contate anche quelle già nella storia\.$/);
    fireEvent.click(lines().getAllByRole('checkbox')[0] as HTMLElement);
    expect(screen.getByText(/Contate anche/)).toHaveTextContent(/già nella storia e quelle tolte\.$/);
    await press('Escape');
    fireEvent.click(rows()[1] as HTMLElement);
    await pass(20);
    expect(screen.queryByText(/Contate anche/)).toBeNull();
    fireEvent.click(lines().getAllByRole('checkbox')[0] as HTMLElement);
    expect(screen.getByText(/Contate anche/)).toHaveTextContent(/Contate anche quelle tolte\.$/);
  });

  it('is no story where fewer than two stay', async () => {
    const page = await open(desk([proposed('a', ['1', '2'])]));
    fireEvent.click(lines().getAllByRole('checkbox')[0] as HTMLElement);
    await press('s');
    expect(page.changes()).toEqual([]);
    expect(screen.getByText('Ne servono almeno due')).toBeInTheDocument();
  });

  it('joins the story that it belongs to, under the title that this has', async () => {
    const page = await open(desk([proposed('a', ['1', '2'], { story: 's1', title: 'Clinica San Marco' })]));
    expect(screen.queryByRole('button', { name: 'Sì, e scrivi a tutti' })).toBeNull();
    fireEvent.click(lines().getAllByRole('checkbox')[0] as HTMLElement);
    await click('Aggiungi alla storia «Clinica San Marco» (1 di 2)');
    await pass(20);
    expect(page.changes()[0]?.body).toEqual({ accept: true, without: ['1'], shown: ['1', '2'] });
    expect(screen.getByText('Nella storia «Clinica San Marco»: 1 segnalazione')).toBeInTheDocument();
  });

  it('is no story until its letter is sent, and both are taken back in one', async () => {
    const others = { heads: [luca('1'), luca('2'), luca('3', { code: false }), luca('4')] };
    const carla = { id: '4', name: 'Carla Neri', detail: 'Non ha una ricevuta.' };
    const rita = { id: '3', name: 'Rita Galli', detail: 'Non ha una ricevuta.' };
    const page = await open(desk([proposed('a', ['1', '2', '3', '4'], others)], { refused: [carla, rita] }));
    await press('w');
    const box = screen.getByLabelText('Messaggio');
    expect(document.activeElement).toBe(box);
    expect(screen.getByText(/senza messaggio: Luca Verdi 3$/)).toBeInTheDocument();
    type('Messaggio', 'Quando è successo?');
    await click('Lascia stare');
    expect(page.changes()).toEqual([]);
    await press('w');
    expect(screen.getByLabelText('Messaggio')).toHaveValue('Quando è successo?');
    await click('Invia a 3 e fai la storia');
    await pass(20);
    expect(page.changes()).toMatchObject([
      { path: '/stories/proposals/a', body: { accept: true, text: 'Quando è successo?' } },
    ]);
    expect(screen.getByText('Inviato a 2 · «Proposta a»: una storia di 4')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Carla Neri' })).toBeInTheDocument();
    expect(screen.queryByRole('link', { name: 'Rita Galli' })).toBeNull();
    await click(/^Annulla/);
    await pass(20);
    expect(page.changes()[1]).toMatchObject({ path: '/stories/proposals/a/undo' });
    expect(screen.getByText('Di nuovo proposta: «Proposta a» · 2 messaggi ritirati')).toBeInTheDocument();
    expect(rows()).toHaveLength(1);
  });

  it('keeps its title and its letter where the server refuses', async () => {
    await open((request) =>
      request.method === 'POST'
        ? problem(422, 'dati-non-validi', { errors: { title: 'Dai un titolo alla storia.' } })
        : desk([proposed('a', ['1', '2'])])(request),
    );
    type('Titolo', 'Il mio');
    await press('s');
    await pass(20);
    expect(screen.getByLabelText('Titolo')).toHaveValue('Il mio');
    expect(screen.getByText('Dai un titolo alla storia.')).toBeInTheDocument();
    await press('w');
    type('Messaggio', 'Quando?');
    await click('Invia a 2 e fai la storia');
    await pass(20);
    expect(screen.getByLabelText('Messaggio')).toHaveValue('Quando?');
    expect(screen.getByText('Messaggio non inviato')).toBeInTheDocument();
  });

  it('gives a letter back that was begun for one that another person decided', async () => {
    let there = [proposed('a', ['1', '2']), proposed('b', ['4', '5'])];
    await open((request) => desk(there)(request));
    await press('w');
    type('Messaggio', 'Quando?');
    there = there.slice(1);
    await pass(20_000);
    expect(screen.getByText('Questa proposta non c’è più')).toBeInTheDocument();
    expect(screen.getByText('Quando?')).toBeInTheDocument();
  });

  it('stands alone where there is no room beside the list, with a way back', async () => {
    widen(390);
    await open(desk([proposed('a', ['1', '2']), proposed('b', ['4', '5'])]));
    expect(screen.queryByLabelText('Titolo')).toBeNull();
    fireEvent.click(rows()[1] as HTMLElement);
    await pass(20);
    expect(screen.queryByRole('list', { name: 'Proposte' })).toBeNull();
    expect(screen.getByRole('heading', { level: 1, name: 'Proposta b' })).toBeInTheDocument();
    fireEvent.click(screen.getByRole('link', { name: 'Storie' }));
    await pass(20);
    expect(rows()).toHaveLength(2);
  });

  it('is only read by a reader', async () => {
    await open(desk([proposed('a', ['1', '2'])]), {
      id: 'p9',
      user: 'lea',
      name: 'Lea Blu',
      role: 'lettore',
      departments: [],
      secondFactor: 'off',
    });
    expect(screen.getByRole('heading', { name: 'Proposta a' })).toBeInTheDocument();
    expect(screen.queryByRole('checkbox')).toBeNull();
    expect(screen.queryByRole('button', { name: /^(Sì|No)/ })).toBeNull();
  });
});

describe('title and note', () => {
  it('are kept where another person saved first, and saved on the second try', async () => {
    let version = 4;
    const page = await openPage(<Shown />, ({ method }) => {
      if (method === 'GET') {
        return Response.json({ ...story, note: 'Già sentita.', version });
      }
      version += 1;
      return version === 5
        ? problem(412, 'versione-superata')
        : Response.json({ ...story, note: 'La mia.', version });
    });
    fireEvent.change(screen.getByLabelText('Note'), { target: { value: 'La mia.' } });
    fireEvent.click(screen.getByRole('button', { name: 'Salva' }));
    await pass(50);
    expect(screen.getByText(/Già sentita/)).toBeInTheDocument();
    expect(screen.getByLabelText('Note')).toHaveValue('La mia.');
    fireEvent.click(screen.getByRole('button', { name: 'Salva' }));
    await pass(50);
    expect(page.changes().map(({ body }) => body)).toEqual([{ note: 'La mia.' }, { note: 'La mia.' }]);
    expect(screen.getByText('Storia salvata.')).toBeInTheDocument();
  });
});

describe('in a report', () => {
  const near = { ...luca('r2'), reasons: ['Nominano entrambe «Serenella».'] };
  const related = (more: object, shared: object | null = { names: ['Serenella'], others: 4 }): Answer => {
    const maybe = shared ? [{ ...near, ...more }] : [];
    return ({ method }) =>
      method === 'GET'
        ? Response.json({ samePerson: [], maybe, shared, ready: true, more: false })
        : new Response(null, { status: 204 });
  };
  const report = sampleReport();
  const of = { id: 's1', title: 'Clinica San Marco' };

  it('a shared name is one line, and on request the nearest is joined or set apart for good', async () => {
    const page = await openPage(<MaybeLine report={report} />, related({ story: of }));
    expect(screen.getByText(/^«Serenella» anche in altre 4/)).toBeInTheDocument();
    expect(screen.queryByRole('list')).toBeNull();
    await click('Confronta');
    expect(screen.getByText('Nominano entrambe «Serenella».')).toBeVisible();
    await click(/^Sì, stessa storia/);
    await pass(20);
    await click(/^È un’altra cosa/);
    await pass(20);
    expect(page.changes()).toMatchObject([
      { method: 'PUT', path: `/stories/s1/reports/${report.id}` },
      { path: '/stories/apart', body: { a: report.id, b: 'r2' } },
    ]);
  });

  it('a story of its own comes to be where there is none', async () => {
    await openPage(<MaybeLine report={report} />, related({ story: null }));
    await click('Confronta');
    await click(/^Sì, stessa storia/);
    expect(screen.getByRole('dialog', { name: 'Nuova storia' })).toBeInTheDocument();
  });

  it('nothing is said where no name is shared', async () => {
    await openPage(<MaybeLine report={report} />, related({}, null));
    expect(screen.queryByText(/anche in/)).toBeNull();
  });
});
