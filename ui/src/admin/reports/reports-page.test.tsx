import { fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Retention } from '../../shared/api/schema';
import { type Answer, problem, type Request } from '../../shared/testing/server';
import { KeyboardProvider } from '../keyboard/keyboard-context';
import { openPage, type PanelPage, pass } from '../testing/panel-page';
import { sampleList, sampleRow } from '../testing/samples';
import { ReportsPage } from './reports-page';

const list = sampleList([sampleRow({ data_creazione: '2026-11-20T10:26:40.000Z' })], {
  counters: { total: 1, new: 1, inProgress: 0, resolved: 0 },
  search: { ready: true, indexed: 1, total: 1 },
});

/** Nothing goes by its age. */
const retention: Retention = {
  days: 0,
  warningDays: 14,
  warned: 0,
  next: null,
  spared: 0,
  expired: 0,
  erased: 0,
};

/** The requests of the page besides its list. */
function besides(path: string): Response | null {
  if (path === '/retention') {
    return Response.json(retention);
  }
  const empty =
    ['/views', '/labels', '/reports/bulk', '/colleagues', '/callouts'].includes(path.split('?')[0] ?? '') ||
    path.startsWith('/stories');
  return empty ? Response.json({ data: [] }) : null;
}

/** Knows no page but the first and `p7`. */
function answer({ path }: Request): Response {
  const aside = besides(path);
  if (aside) {
    return aside;
  }
  const cursor = new URLSearchParams(path.split('?')[1]).get('cursor');
  return cursor === null || cursor === 'p7'
    ? Response.json(list)
    : problem(422, 'dati-non-validi', { errors: { cursor: 'Pagina non valida.' } });
}

/** The requests for the list, which has the urgent reports on top until another order is chosen. */
const lists = (page: PanelPage) =>
  page.requests
    .map(({ path }) => path)
    .filter((path) => /^\/reports(\?|$)/.test(path))
    .filter((path) => !path.includes('limit=1'))
    .map((path) => path.replace(/[?&]sort=urgent$/, '').replace(/[?&]archived=false$/, ''));

const open = (address: string, server: Answer = answer) =>
  openPage(
    <KeyboardProvider>
      <ReportsPage />
    </KeyboardProvider>,
    server,
    { address },
  );

const STORY = '52255bef-74bb-40dd-9fd0-cf0778d82e69';

describe('an address of the list', () => {
  it('with values nobody knows leads to the first page of all reports', async () => {
    const page = await open('/?stato=Boh&period=year&cursor=zzz');
    await pass(0);
    expect(screen.getByText('Maria Rossi')).toBeInTheDocument();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(lists(page)).toEqual(['/reports?cursor=zzz', '/reports']);
  });

  it('has urgent reports on top, unless it is in an order of its own', async () => {
    const page = await open('/');
    expect(page.requests.map(({ path }) => path)).toContain('/reports?archived=false&sort=urgent');
    page.close();
    const oldest = await open('/?order=asc');
    expect(oldest.requests.map(({ path }) => path)).toContain('/reports?order=asc&archived=false');
  });

  it('stands with its tabs and counters, each with its number where there is one', async () => {
    await open('/?todo=true', ({ path }) => {
      const counters = { total: 9, new: 1, inProgress: 2, resolved: 3 };
      const counts = { ...list.counts, todo: 2 };
      return besides(path) ?? Response.json({ ...list, counters, counts, answersWaiting: 1234 });
    });
    const tabs = within(screen.getByRole('navigation', { name: 'Elenchi' })).getAllByRole('link');
    expect(tabs.map((tab) => tab.textContent)).toEqual(['Da fare 2', 'Urgenti', 'Risposte 999+', 'Tutte 6']);
    expect(tabs[0]).toHaveAttribute('aria-current', 'true');
    const summary = screen.getByRole('navigation', { name: 'Riepilogo delle segnalazioni' });
    expect(summary).toHaveTextContent('9 in tutto · 1 nuova · 2 in lavorazione · 3 risolte');
    expect(within(summary).getByRole('link', { name: '1 nuova' })).toHaveAttribute(
      'href',
      '/admin/reports?stato=Nuova',
    );
  });

  it('has rows that tell of many labels by three of them and the names of the rest', async () => {
    const labels = ['Asl', 'Bandi', 'Comune', 'Diga', 'Edifici'].map((name, at) => ({
      id: at + 1,
      name,
      color: 'rosso',
      reports: 1,
    }));
    await open('/', ({ path }) =>
      path === '/labels'
        ? Response.json({ data: labels })
        : (besides(path) ?? Response.json({ ...list, data: [sampleRow({ labels: [1, 2, 3, 4, 5] })] })),
    );
    expect(screen.getAllByTitle(/^Etichetta /).map(({ title }) => title)).toEqual([
      'Etichetta Asl',
      'Etichetta Bandi',
      'Etichetta Comune',
    ]);
    expect(screen.getByTitle('Etichette Diga, Edifici')).toHaveTextContent('+2Etichette Diga, Edifici.');
  });

  it('leads to the name of a view that was saved, not to what deletes it', async () => {
    const views: object[] = [];
    await open('/?stato=Nuova', ({ method, path, body }) => {
      if (path === '/views' && method === 'POST') {
        views.push({ id: 'v1', ...(body as object) });
      }
      return path === '/views' ? Response.json({ data: views }) : answer({ path } as Request);
    });
    const opener = screen.getByRole('button', { name: 'Salva come vista' });
    opener.focus();
    fireEvent.click(opener);
    fireEvent.change(screen.getByLabelText('Nome della vista'), { target: { value: 'Le nuove' } });
    fireEvent.click(screen.getByRole('button', { name: 'Salva' }));
    await pass(10);
    expect(screen.getByTitle('Vista «Le nuove»')).toHaveFocus();
    expect(screen.getByRole('button', { name: 'Elimina la vista' })).toBeVisible();
  });

  it.each([
    ['answer', 'Ha risposto Dopo le due, al cellulare.'],
    ['back', 'Tornata oggi Racconto.'],
    ['new', 'Racconto.'],
  ] as const)('has rows that say why they are here: %s', async (why, said) => {
    const todo = { why, said: why === 'answer' ? 'Dopo le due, al cellulare.' : null };
    await open(
      '/?todo=true',
      ({ path }) => besides(path) ?? Response.json({ ...list, data: [sampleRow({ todo })] }),
    );
    expect(screen.getByRole('cell', { name: said })).toBeInTheDocument();
  });

  it.each([
    ['/', 1],
    [`/?story=${STORY}`, 0],
  ])('names the story of a row, unless the list is of it: %s', async (address, named) => {
    const story = { id: STORY, title: 'Mensa di via Bixio' };
    await open(
      address,
      ({ path }) => besides(path) ?? Response.json({ ...list, data: [sampleRow({ story })] }),
    );
    await pass(0);
    expect(screen.getByRole('table')).toBeInTheDocument();
    expect(screen.queryAllByTitle('Storia «Mensa di via Bixio»')).toHaveLength(named);
  });

  it('with a page of a selection keeps both', async () => {
    const page = await open('/?stato=Nuova&cursor=p7');
    await pass(0);
    expect(screen.getByText('Maria Rossi')).toBeInTheDocument();
    expect(lists(page)).toEqual(['/reports?stato=Nuova&cursor=p7']);
  });

  it('with a department and a search asks for them, and says while the index is not whole', async () => {
    const page = await open('/?department=sanita', ({ path }) => {
      const found = { ...list, search: { ready: false, indexed: 12_345, total: 100_000 } };
      return besides(path) ?? Response.json(found);
    });
    await pass(0);
    expect(lists(page)).toEqual(['/reports?department=sanita']);
    expect(screen.queryByText(/Ricerca in preparazione/)).toBeNull();
    fireEvent.change(screen.getByLabelText('Cerca o filtra'), { target: { value: 'ro' } });
    await pass(300);
    expect(lists(page).at(-1)).toBe('/reports?search=ro&department=sanita');
    expect(screen.getByText(/Ricerca in preparazione/)).toBeInTheDocument();
    expect(screen.getByText(/12\.345 di 100\.000 segnalazioni pronte/)).toBeInTheDocument();
    expect(screen.getByRole('progressbar')).toHaveValue(12_345);
  });

  it('with a search shows persons at once and accounts as they are found', async () => {
    const [row] = list.data;
    const named = (nome: string) => ({ ...list, data: [{ ...row, nome }] });
    const page = await open(
      '/?search=rossi',
      ({ path }) =>
        besides(path) ?? Response.json(named(path.includes('inText=true') ? 'Nel racconto' : 'Nel nome')),
    );
    await pass(0);
    const asked = ['/reports?search=rossi&inText=true', '/reports?search=rossi'];
    expect(new Set(lists(page))).toEqual(new Set(asked));
    expect(screen.getByRole('link', { name: /Nel racconto/ })).toBeInTheDocument();
    expect(screen.queryByText(/Nel nome/)).toBeNull();
    // Only the content on screen is kept up to date.
    await pass(4_000);
    expect(lists(page)).toHaveLength(2);
    await pass(12_000);
    expect(lists(page).slice(2)).toEqual([asked[0]]);
  });

  it('does not say that a search found the rows before it', async () => {
    await open('/', ({ path }) =>
      path.includes('search=') ? new Promise(() => undefined) : (besides(path) ?? Response.json(list)),
    );
    expect(screen.getByRole('table')).toBeInTheDocument();
    fireEvent.change(screen.getByLabelText('Cerca o filtra'), { target: { value: 'aspromonte' } });
    await pass(300);
    expect(screen.getByRole('table')).toBeInTheDocument();
    expect(screen.queryByText('Trovata nell’indirizzo')).toBeNull();
  });

  it('by a department that there is not any more says so, also while it is open, and gives all again', async () => {
    const errors = { department: 'Questo reparto non c’è più: ricarica la pagina.' };
    let gone = false;
    await open('/?department=tolto', (request) =>
      gone && request.path.includes('department=tolto')
        ? problem(422, 'dati-non-validi', { errors })
        : answer(request),
    );
    expect(screen.getByRole('table')).toBeInTheDocument();
    gone = true;
    await pass(16_000);
    expect(screen.getByRole('alert')).toHaveTextContent('Questo reparto non c’è più');
    expect(screen.queryByText(/il server non risponde/)).toBeNull();
    expect(screen.queryByRole('table')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Riprova' })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Togli tutti i filtri' }));
    await pass(0);
    expect(screen.getByRole('table')).toBeInTheDocument();
  });

  it('that fails for another reason says so, and stays, below what only this browser has', async () => {
    const said = {
      name: 'Maria',
      surname: 'Rossi',
      email: '',
      phone: '',
      address: '',
      report: 'Un racconto.',
    };
    const kept = { id: 1, ...said, answers: {}, conversation: 'c', text: 'no' };
    window.localStorage.setItem('prova_report_1', JSON.stringify(kept));
    const page = await open('/?stato=Nuova', () => problem(503, 'archivio-non-raggiungibile'));
    await pass(0);
    expect(screen.getByText('Non è stato possibile caricare le segnalazioni')).toBeInTheDocument();
    expect(screen.getByText('In questo browser, non ancora inviata')).toBeInTheDocument();
    expect(new Set(lists(page))).toEqual(new Set(['/reports?stato=Nuova']));
  });
});
