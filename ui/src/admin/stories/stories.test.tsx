import { fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Story } from '../../shared/api/schema';
import { type Answer, problem } from '../../shared/testing/server';
import { useRead } from '../common/use-read';
import { KeyboardProvider } from '../keyboard/keyboard-context';
import { openPage, pass } from '../testing/panel-page';
import { sampleReport, sampleRow } from '../testing/samples';
import { factsOf, type Proposal } from './api';
import { MaybeCard } from './maybe-card';
import { StoriesPage } from './stories-page';
import { StoryTexts } from './story-page';

const story: Story = {
  id: 's1',
  title: 'Clinica San Marco',
  note: 'Sentire la regione.',
  reports: 13,
  week: 12,
  statuses: { Nuova: 13 },
  departments: ['sanita'],
  people: [{ id: 'p', name: 'Anna Bianchi' }],
  labels: [],
  last: '2026-11-20T10:00:00Z',
  version: 4,
};

const luca = (id: string) => ({
  ...sampleRow({ id, nome: 'Luca', cognome: 'Verdi', excerpt: 'Alla clinica Serenella pagano in nero.' }),
  marks: 'Serenella',
  code: true,
});

const proposed = (key: string, reports: string[], more: Partial<Proposal> = {}): Proposal => ({
  key,
  reports,
  heads: reports.map(luca),
  story: null,
  title: `Proposta ${key}`,
  reasons: ['Insieme perché nominano entrambe «Serenella» e «Montaldo».'],
  names: ['Serenella', 'Montaldo'],
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

/** A server that proposes these, until each is answered. */
function desk(proposals: Proposal[], ready = true): Answer {
  let left = proposals;
  return ({ method, path }) => {
    if (method === 'POST' && path.startsWith('/stories/proposals/')) {
      left = left.filter(({ key }) => !path.endsWith(`/${key}`));
      return Response.json({ story: 's9', undo: 'u9', message: null });
    }
    if (path === '/messages/bulk') {
      const refused = [{ id: 'c', name: 'Carla Neri', detail: 'Non ha una ricevuta.' }];
      return Response.json({ batch: 'b7', sent: 2, refused });
    }
    if (path === '/stories/proposals') {
      return Response.json({ data: left, ready });
    }
    return path.startsWith('/stories')
      ? Response.json({ data: [story], nextCursor: null })
      : Response.json({ data: [], undone: 2 });
  };
}

const open = (answer: Answer) =>
  openPage(
    <KeyboardProvider>
      <StoriesPage />
    </KeyboardProvider>,
    answer,
  );

const press = async (key: string) => {
  fireEvent.keyDown(document.activeElement ?? document.body, { key });
  await pass(20);
};

describe('the stories', () => {
  it('are told with size, growth, departments and people', async () => {
    await open(desk([]));
    expect(
      screen.getByText('13 segnalazioni · dodici in sette giorni · Sanità/Ospedali · Anna Bianchi'),
    ).toBeInTheDocument();
    expect(factsOf({ ...story, reports: 3, week: 3 }, String)).toContain(' · tutte in sette giorni · ');
    expect(factsOf({ ...story, reports: 40, week: 21 }, String)).toContain(' · 21 in sette giorni · ');
    expect(factsOf({ ...story, reports: 1, week: 1 }, String)).not.toContain('giorni');
  });

  it('say while the archive is still being read', async () => {
    await open(desk([], false));
    expect(screen.getByText('Sto leggendo l’archivio…')).toBeInTheDocument();
  });
});

describe('a proposal', () => {
  it('is answered by one key, and the next one has the focus', async () => {
    const page = await open(desk([proposed('a', ['1', '2', '3']), proposed('b', ['4', '5'])]));
    await press('s');
    expect(page.changes()).toEqual([]);
    expect(screen.getAllByRole('link', { name: /^Luca Verdi/ })).toHaveLength(5);
    expect(document.activeElement).toHaveAccessibleName('Proposta a');
    await press('s');
    expect(page.changes()).toMatchObject([
      { path: '/stories/proposals/a', body: { accept: true, title: 'Proposta a' } },
    ]);
    expect(screen.queryByText('Proposta a')).toBeNull();
    expect(document.activeElement).toHaveAccessibleName('Proposta b');
    await press('n');
    expect(page.changes()[1]).toMatchObject({ path: '/stories/proposals/b', body: { accept: false } });
  });

  it('joins the story that it belongs to, under the title that this has', async () => {
    const page = await open(desk([proposed('a', ['1'], { story: 's1', title: 'Clinica San Marco' })]));
    fireEvent.click(screen.getByRole('button', { name: /^Aggiungi alla storia «Clinica San Marco»/ }));
    await pass(20);
    expect(page.changes()).toMatchObject([{ body: { accept: true } }]);
    expect(page.changes()[0]?.body).not.toHaveProperty('title');
  });

  it('is written to in the same breath; who cannot be is named, and all of it taken back', async () => {
    const page = await open(desk([proposed('a', ['1', '2', '3'])]));
    await press('j');
    await press('w');
    const dialog = within(screen.getByRole('dialog'));
    fireEvent.change(dialog.getByLabelText('Messaggio'), { target: { value: 'Quando è successo?' } });
    fireEvent.click(dialog.getByRole('button', { name: 'Invia a 3' }));
    await pass(20);
    expect(page.changes().at(-1)).toMatchObject({
      path: '/messages/bulk',
      body: { story: 's9', text: 'Quando è successo?', key: expect.stringMatching(/^[a-z0-9]{20,36}$/) },
    });
    expect(screen.getByText('Inviato a 2 · Proposta a')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Carla Neri' })).toBeInTheDocument();
    fireEvent.click(screen.getByRole('button', { name: 'Annulla l’invio' }));
    await pass(20);
    expect(page.changes().at(-1)).toMatchObject({ path: '/messages/bulk/b7/undo' });
    expect(screen.queryByText(/^Inviato a 2/)).toBeNull();
  });

  it('keeps its title where the server refuses it', async () => {
    await open((request) =>
      request.method === 'POST'
        ? problem(422, 'dati-non-validi', { errors: { title: 'Dai un titolo alla storia.' } })
        : desk([proposed('a', ['1', '2'])])(request),
    );
    fireEvent.change(screen.getByLabelText('Titolo'), { target: { value: 'Il mio' } });
    fireEvent.click(screen.getByRole('button', { name: /^Sì, una storia/ }));
    await pass(20);
    expect(screen.getByLabelText('Titolo')).toHaveValue('Il mio');
    expect(screen.getByText('Dai un titolo alla storia.')).toBeInTheDocument();
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
  const near = {
    ...luca('r2'),
    reasons: ['Nominano entrambe «Serenella».'],
  };
  const related = (more: object): Answer => {
    const maybe = [{ ...near, ...more }];
    return ({ method }) =>
      method === 'GET'
        ? Response.json({ samePerson: [], maybe, ready: true, more: false })
        : new Response(null, { status: 204 });
  };
  const report = sampleReport();

  it('the nearest is joined by a click, or set apart for good', async () => {
    const page = await openPage(
      <MaybeCard report={report} />,
      related({ story: { id: 's1', title: 'Clinica San Marco' } }),
    );
    expect(screen.getByText('Nominano entrambe «Serenella».')).toBeInTheDocument();
    fireEvent.click(screen.getByRole('button', { name: /^Sì, stessa storia/ }));
    await pass(20);
    fireEvent.click(screen.getByRole('button', { name: /^È un’altra cosa/ }));
    await pass(20);
    expect(page.changes()).toMatchObject([
      { method: 'PUT', path: `/stories/s1/reports/${report.id}` },
      { path: '/stories/apart', body: { a: report.id, b: 'r2' } },
    ]);
  });

  it('a story of its own comes to be where there is none', async () => {
    await openPage(<MaybeCard report={report} />, related({ story: null }));
    fireEvent.click(screen.getByRole('button', { name: /^Sì, stessa storia/ }));
    expect(screen.getByRole('dialog', { name: 'Nuova storia' })).toBeInTheDocument();
  });
});
