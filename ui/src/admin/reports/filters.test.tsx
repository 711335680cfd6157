import { fireEvent, render, screen } from '@testing-library/react';
import { MemoryRouter, useLocation, useNavigate } from 'react-router-dom';
import { describe, expect, it } from 'vitest';
import { FilterBar } from './filter-bar';
import { isFiltered, NO_FILTERS, readFilters, withFilter, writeFilters } from './filters';
import { useFilters } from './use-filters';

const read = (query: string) => readFilters(new URLSearchParams(query));

describe('the filters of the list', () => {
  it.each([
    ['', NO_FILTERS],
    ['?stato=In+lavorazione', { ...NO_FILTERS, stato: 'In lavorazione' as const }],
    [
      '?stato=Nuova&period=week&cursor=a%2Bb%3D',
      { stato: 'Nuova' as const, period: 'week' as const, cursor: 'a+b=' },
    ],
  ])('read %j and write it back', (query, filters) => {
    expect(read(query)).toEqual(filters);
    expect(writeFilters(filters)).toBe(query);
  });

  it('ignore what they do not know', () => {
    expect(read('?stato=Persa&period=secolo&cursor=&altro=1')).toEqual(NO_FILTERS);
  });

  it('start again on the first page when the selection changes', () => {
    const second = { stato: null, period: 'month' as const, cursor: 'abc' };
    expect(withFilter(second, { stato: 'Risolta' })).toEqual({
      stato: 'Risolta',
      period: 'month',
      cursor: null,
    });
  });

  it('do not count the page as a filter', () => {
    expect(isFiltered({ ...NO_FILTERS, cursor: 'abc' })).toBe(false);
    expect(isFiltered({ ...NO_FILTERS, period: 'today' })).toBe(true);
  });

  it('live in the address alone: a choice changes it, Back undoes it', async () => {
    render(
      <MemoryRouter initialEntries={['/admin/reports?cursor=abc']}>
        <Harness />
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
  });
});

function Harness() {
  const [filters, setFilters] = useFilters();
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  return (
    <>
      <FilterBar filters={filters} onChange={setFilters} />
      <output data-testid="address">{pathname + search}</output>
      <button type="button" onClick={() => navigate(-1)}>
        indietro
      </button>
    </>
  );
}
