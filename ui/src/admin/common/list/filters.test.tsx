import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { MemoryRouter, useLocation, useNavigate } from 'react-router-dom';
import { describe, expect, it, vi } from 'vitest';
import { Count, FilterBar } from '../../reports/filter-bar';
import { SearchBox } from '../../reports/search-box';
import { sampleBranding, sampleDepartments, sampleSession } from '../../testing/samples';
import { BrandingProvider } from '../branding';
import { SessionProvider } from '../session/session-context';
import { keyOf } from '../use-read';
import { isFiltered, readFilters, useFilters, withFilter, writeFilters } from './filters';

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
        '?stato=Persa&period=secolo&department=Sanita&urgente=1&cursor=&altro=1&inText=1&from=ieri&to=2026-13-01&origin=fax&order=desc&label=x&assignedTo=tutti&search=',
      ),
    ).toEqual({});
    expect(read(`?search=${'è'.repeat(300)}`).search).toBe('è'.repeat(200));
  });

  it('start again on the first page when the selection changes', () => {
    const second = { period: 'month' as const, cursor: 'abc' };
    expect(withFilter(second, { stato: 'Risolta' })).toEqual({
      stato: 'Risolta',
      period: 'month',
    });
    expect(withFilter(second, { search: 'x' }).cursor).toBeUndefined();
  });

  it('do not count the page as a filter', () => {
    expect(isFiltered({ cursor: 'abc' })).toBe(false);
    expect(isFiltered({ period: 'today' })).toBe(true);
    expect(isFiltered({ search: 'x' })).toBe(true);
    expect(isFiltered({ department: 'generale' })).toBe(true);
    expect(isFiltered({ urgente: true })).toBe(true);
    expect(isFiltered({ search: '  ' })).toBe(false);
  });

  it('live in the address alone: a choice changes it, Back undoes it', async () => {
    render(
      <MemoryRouter initialEntries={['/admin/reports?cursor=abc']}>
        <SessionProvider value={sampleSession()}>
          <Harness />
        </SessionProvider>
      </MemoryRouter>,
    );
    fireEvent.change(screen.getByLabelText('Stato'), { target: { value: 'Nuova' } });
    expect(screen.getByTestId('address')).toHaveTextContent('/admin/reports?stato=Nuova');
    fireEvent.change(screen.getByLabelText('Periodo'), { target: { value: 'today' } });
    expect(screen.getByTestId('address')).toHaveTextContent('/admin/reports?stato=Nuova&period=today');
    fireEvent.click(screen.getByText('indietro'));
    expect(screen.getByLabelText('Periodo')).toHaveValue('');
    expect(screen.getByLabelText('Stato')).toHaveValue('Nuova');
    fireEvent.click(screen.getByRole('button', { name: 'Azzera filtri' }));
    expect(screen.getByTestId('address').textContent).toBe('/admin/reports');
    expect(screen.queryByRole('button', { name: 'Azzera filtri' })).toBeNull();
    fireEvent.change(screen.getByLabelText('Reparto'), { target: { value: 'lavoro' } });
    const urgent = screen.getByRole('button', { name: 'Urgenti —' });
    fireEvent.click(urgent);
    expect(screen.getByTestId('address')).toHaveTextContent('/admin/reports?department=lavoro&urgente=true');
    expect(urgent).toHaveAttribute('aria-pressed', 'true');
    fireEvent.click(screen.getByText('indietro'));
    expect(urgent).toHaveAttribute('aria-pressed', 'false');
    expect(screen.getByLabelText('Reparto')).toHaveValue('lavoro');
  });
});

describe('the search box', () => {
  const open = () => {
    vi.useFakeTimers();
    render(
      <MemoryRouter initialEntries={['/admin/reports?cursor=abc']}>
        <SessionProvider value={sampleSession()}>
          <Harness />
        </SessionProvider>
      </MemoryRouter>,
    );
  };
  const box = () => screen.getByLabelText('Cerca');
  const type = (value: string) => fireEvent.change(box(), { target: { value } });
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  const address = () => screen.getByTestId('address').textContent;

  it('waits until nothing is typed for a while, and starts on the first page', async () => {
    open();
    fireEvent.focus(box());
    type('ros');
    await pass(200);
    type('rossi');
    await pass(200);
    expect(address()).toBe('/admin/reports?cursor=abc');
    await pass(60);
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
    fireEvent.click(screen.getByRole('button', { name: 'Azzera filtri' }));
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
        <SearchBox filters={filters} onChange={setFilters} searchBox={null} />
        <FilterBar filters={filters} onChange={setFilters} list={undefined} />
        <Count matching={7} shown={7} filters={filters} looking={false} onChange={setFilters} />
        <output data-testid="address">{pathname + search}</output>
        <button type="button" onClick={() => navigate(-1)}>
          indietro
        </button>
      </QueryClientProvider>
    </BrandingProvider>
  );
}
