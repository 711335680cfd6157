import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { useRef } from 'react';
import { MemoryRouter, useLocation, useNavigate } from 'react-router-dom';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { on } from '../../../shared/testing/server';
import { Chips } from '../../reports/chips';
import { FilterField } from '../../reports/filter-field';
import { Tabs } from '../../reports/tabs';
import { sampleBranding, sampleDepartments, sampleSession } from '../../testing/samples';
import { BrandingProvider } from '../branding';
import { SessionProvider } from '../session/session-context';
import { keyOf } from '../use-read';
import { askedFor, isFiltered, readFilters, useFilters, withFilter, writeFilters } from './filters';

function open(address = '/admin/reports?cursor=abc'): void {
  vi.useFakeTimers();
  render(
    <MemoryRouter initialEntries={[address]}>
      <SessionProvider value={sampleSession()}>
        <Harness />
      </SessionProvider>
    </MemoryRouter>,
  );
}
const box = () => screen.getByLabelText('Cerca o filtra');
const type = (value: string) => fireEvent.change(box(), { target: { value } });
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const address = () => screen.getByTestId('address').textContent;
/** What the field offers, without the options of the fields beside it. */
const offers = () =>
  screen
    .queryAllByRole('option')
    .filter((one) => one.closest('select') === null)
    .map((one) => one.textContent);

beforeEach(() => on('get', '/sieges', () => ({ aside: 0, data: [], groups: [], siege: false, upTo: 0 })));

const read = (query: string) => readFilters(new URLSearchParams(query));

describe('the filters of the list', () => {
  it.each([
    ['', {}],
    ['?stato=In+lavorazione', { stato: 'In lavorazione' as const }],
    [
      '?stato=Nuova&period=week&cursor=a%2Bb%3D',
      { stato: 'Nuova' as const, period: 'week' as const, cursor: 'a+b=' },
    ],
    [
      '?search=%25_+Nicol%C3%B2&stato=Nuova&from=2026-11-02&origin=di+persona&label=7&order=asc',
      {
        search: '%_ Nicolò',
        stato: 'Nuova' as const,
        from: '2026-11-02',
        origin: 'di persona' as const,
        label: 7,
        order: 'asc' as const,
      },
    ],
    [
      '?stato=Nuova&department=sanita&urgente=true&cursor=p7',
      { stato: 'Nuova' as const, department: 'sanita' as const, urgente: true, cursor: 'p7' },
    ],
    ['?todo=true&archived=true', { todo: true, archived: true }],
    ['?assignedTo=me', { assignedTo: 'me' }],
    [
      '?assignedTo=7f0c1c50-7f6e-4a57-9a35-1c2f4f0b8f11',
      { assignedTo: '7f0c1c50-7f6e-4a57-9a35-1c2f4f0b8f11' },
    ],
  ])('read %j and write it back', (query, filters) => {
    expect(read(query)).toEqual(filters);
    expect(writeFilters(filters)).toBe(query);
  });

  it('ignore what they do not know', () => {
    expect(
      read(
        '?stato=Persa&period=secolo&department=Sanita&urgente=1&cursor=&altro=1&inText=1&from=2026-02-31&to=2026-13-01&origin=fax&order=desc&label=x&assignedTo=tutti&search=',
      ),
    ).toEqual({});
  });

  it('keep a search as it was pasted: the server says where it is too long', () => {
    expect(read(`?search=${'è'.repeat(300)}`).search).toBe('è'.repeat(300));
  });

  it('start again on the first page when the selection changes', () => {
    const second = { period: 'month' as const, cursor: 'abc' };
    expect(withFilter(second, { stato: 'Risolta' })).toEqual({
      stato: 'Risolta',
      period: 'month',
    });
    expect(withFilter(second, { search: 'x' }).cursor).toBeUndefined();
  });

  it('look among all for what a tab does not hold', () => {
    expect(withFilter({ todo: true }, { department: 'sanita' })).toEqual({
      todo: true,
      department: 'sanita',
    });
    expect(withFilter({ todo: true, files: true }, { search: 'rossi' })).toEqual({
      search: 'rossi',
      files: true,
    });
    expect(withFilter({ answer: true }, { stato: 'Archiviata' })).toEqual({ stato: 'Archiviata' });
  });

  it.each([
    [{}, true],
    [{ department: 'sanita', urgente: true }, true],
    [{ archived: true, department: 'sanita' }, false],
    [{ stato: 'Archiviata' as const }, false],
    [{ search: 'rossi' }, false],
    [{ story: '7f0c1c50-7f6e-4a57-9a35-1c2f4f0b8f11' }, false],
    [{ todo: true }, false],
    [{ answer: true }, false],
  ])('%j leave out what is archived: %j', (filters, out) => {
    const asked = askedFor(filters, 0);
    expect(asked.archived).toBe(out ? false : undefined);
    expect(asked.sort).toBe('urgent');
  });

  it('leave out copies that are set aside, but no answer of a reporter', () => {
    expect(askedFor({}, 3).sospette).toBe(false);
    expect(askedFor({ answer: true }, 3).sospette).toBeUndefined();
  });

  it('do not count the page and the tab as a filter', () => {
    expect(isFiltered({ cursor: 'abc' })).toBe(false);
    expect(isFiltered({ period: 'today' })).toBe(true);
    expect(isFiltered({ search: 'x' })).toBe(true);
    expect(isFiltered({ department: 'generale' })).toBe(true);
    expect(isFiltered({ urgente: true })).toBe(false);
    expect(isFiltered({ todo: true, urgente: true })).toBe(true);
    expect(isFiltered({ search: '  ' })).toBe(false);
  });

  it('live in the address alone: a choice changes it, Back undoes it', async () => {
    open();
    fireEvent.change(screen.getByLabelText('Stato'), { target: { value: 'Nuova' } });
    expect(screen.getByTestId('address')).toHaveTextContent('/admin/reports?stato=Nuova');
    fireEvent.change(screen.getByLabelText('Periodo'), { target: { value: 'today' } });
    expect(screen.getByTestId('address')).toHaveTextContent('/admin/reports?stato=Nuova&period=today');
    fireEvent.click(screen.getByText('indietro'));
    expect(screen.getByLabelText('Periodo')).toHaveValue('');
    expect(screen.getByLabelText('Stato')).toHaveValue('Nuova');
    fireEvent.click(screen.getByRole('button', { name: 'Togli tutti' }));
    expect(screen.getByTestId('address').textContent).toBe('/admin/reports');
    expect(screen.queryByRole('button', { name: 'Togli tutti' })).toBeNull();
  });

  it('are completed to as one types, each with its kind, and go by their chip', async () => {
    open('/admin/reports?todo=true');
    type('repar lav');
    expect(offers()).toEqual(['RepartoLavoro/Sfruttamento', 'Testocontiene «repar lav»']);
    fireEvent.keyDown(box(), { key: 'Enter' });
    expect(address()).toBe('/admin/reports?department=lavoro&todo=true');
    expect(box()).toHaveValue('');
    await pass(300);
    expect(address()).toBe('/admin/reports?department=lavoro&todo=true');
    type('non lette');
    fireEvent.click(screen.getByRole('option', { name: /Non lette/ }));
    expect(address()).toBe('/admin/reports?department=lavoro&unread=true&todo=true');
    fireEvent.click(screen.getByRole('button', { name: 'Togli il filtro Reparto Lavoro/Sfruttamento' }));
    expect(address()).toBe('/admin/reports?unread=true&todo=true');
    fireEvent.click(screen.getByRole('button', { name: 'Togli tutti' }));
    expect(address()).toBe('/admin/reports?todo=true');
  });

  it('complete the days as they are written, and let go of a text that means none of them', async () => {
    open();
    type('5.11.2026');
    expect(offers().slice(0, 3)).toEqual(['DataIl 05/11/2026', 'DataDal 05/11/2026', 'DataAl 05/11/2026']);
    fireEvent.keyDown(box(), { key: 'ArrowDown' });
    fireEvent.keyDown(box(), { key: 'Enter' });
    expect(address()).toBe('/admin/reports?from=2026-11-05');
    expect(screen.getByRole('button', { name: 'Togli il filtro Data Dal 05/11/2026' })).toBeVisible();
    type('dal 3 al 12 ott');
    expect(offers()[0]).toBe('DataDal 03/10/2026 al 12/10/2026');
    fireEvent.keyDown(box(), { key: 'Enter' });
    expect(address()).toBe('/admin/reports?from=2026-10-03&to=2026-10-12');
    expect(
      screen.getByRole('button', { name: 'Togli il filtro Data Dal 03/10/2026 al 12/10/2026' }),
    ).toBeVisible();
    type('sett');
    expect(offers().filter((offer) => offer.startsWith('Data')).length).toBeGreaterThan(1);
    for (const text of ['31/2', '99/99', 'dal 12/10 al 3/10', 'Castelrosso']) {
      type(text);
      expect(offers()).toEqual([]);
      fireEvent.keyDown(box(), { key: 'Enter' });
      expect(box()).toHaveValue(text);
    }
  });
});

describe('the search box', () => {
  it('waits until nothing is typed for a while, and starts on the first page', async () => {
    open();
    fireEvent.focus(box());
    type('ros');
    await pass(80);
    type('rossi');
    await pass(80);
    expect(address()).toBe('/admin/reports?cursor=abc');
    await pass(30);
    expect(address()).toBe('/admin/reports?search=rossi');
  });

  it('makes one step of the history of a search, however it is changed', async () => {
    open();
    type('r');
    await pass(300);
    type('rossi');
    await pass(300);
    fireEvent.click(screen.getByText('indietro'));
    expect(address()).toBe('/admin/reports?cursor=abc');
    expect(box()).toHaveValue('');
  });

  it('looks among all reports, and gives back the tab that it began on', async () => {
    open('/admin/reports?files=true&todo=true');
    type('rossi');
    await pass(300);
    expect(address()).toBe('/admin/reports?search=rossi&files=true');
    fireEvent.keyDown(box(), { key: 'Escape' });
    await pass(300);
    expect(address()).toBe('/admin/reports?files=true&todo=true');
  });

  it('is cleared by its button and by Esc, and keeps the focus', async () => {
    open();
    type('rossi');
    await pass(300);
    fireEvent.click(screen.getByRole('button', { name: 'Cancella la ricerca' }));
    await pass(300);
    expect(box()).toHaveValue('');
    expect(box()).toHaveFocus();
    expect(address()).toBe('/admin/reports');
    type('x');
    fireEvent.keyDown(box(), { key: 'Escape' });
    await pass(300);
    expect(address()).toBe('/admin/reports');
    expect(screen.queryByRole('button', { name: 'Cancella la ricerca' })).toBeNull();
  });

  it('forgets what was typed when the filters are cleared meanwhile', async () => {
    open();
    type('rossi');
    await pass(300);
    type('rossi m');
    fireEvent.click(screen.getByRole('button', { name: 'Togli tutti' }));
    await pass(300);
    expect(address()).toBe('/admin/reports');
    expect(box()).toHaveValue('');
  });
});

/** Asks no server for labels and views. */
const client = new QueryClient({ defaultOptions: { queries: { enabled: false } } });
client.setQueryData(keyOf('/departments'), sampleDepartments());

function Harness() {
  const [filters, setFilters] = useFilters();
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  return (
    <BrandingProvider branding={sampleBranding}>
      <QueryClientProvider client={client}>
        <Tabs filters={filters} list={undefined} open={undefined} />
        <FilterField filters={filters} onChange={setFilters} searchBox={useRef<HTMLInputElement>(null)} />
        <Chips filters={filters} onChange={setFilters} matching={7} shown={7} looking={false} />
        <output data-testid="address">{pathname + search}</output>
        <button type="button" onClick={() => navigate(-1)}>
          indietro
        </button>
      </QueryClientProvider>
    </BrandingProvider>
  );
}
