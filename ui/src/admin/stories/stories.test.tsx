import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StoryDetail } from '../../shared/api/schema';
import { useRead } from '../common/use-read';
import { KeyboardProvider } from '../keyboard/keyboard-context';
import { type Answer, openPage, pass, problem } from '../testing/panel-page';
import { factsOf } from './api';
import { StoriesPage } from './stories-page';
import { StoryTexts } from './story-page';

const story: StoryDetail = {
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

/** As the page of a story shows them. */
function Shown() {
  const { data } = useRead('/stories/{id}', {
    with: { path: { id: 's1' } },
    initialData: story,
    staleTime: 60_000,
  });
  return data ? <StoryTexts story={data} /> : null;
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const open = (answer: Answer) =>
  openPage(
    <KeyboardProvider>
      <StoriesPage />
    </KeyboardProvider>,
    answer,
  );

describe('the stories', () => {
  it('are told with size, growth, departments and people', async () => {
    await open(() => Response.json({ data: [story], nextCursor: null }));
    expect(
      screen.getByText('13 segnalazioni · dodici in sette giorni · Sanità/Ospedali · Anna Bianchi'),
    ).toBeInTheDocument();
    expect(factsOf({ ...story, reports: 3, week: 3 })).toContain(' · tutte in sette giorni · ');
    expect(factsOf({ ...story, reports: 40, week: 21 })).toContain(' · 21 in sette giorni · ');
    expect(factsOf({ ...story, reports: 1, week: 1 })).not.toContain('giorni');
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
