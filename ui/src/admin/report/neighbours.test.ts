import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ReportList, ReportRow } from '../../shared/api/schema';
import { neighbourOf } from './use-report-keys';

const row = (id: string, hour: number): ReportRow => ({
  id,
  nome: 'A',
  cognome: 'B',
  email: 'a@b.example',
  telefono: '3',
  data_creazione: new Date(Date.UTC(2026, 10, 21, hour)).toISOString(),
  stato: 'Nuova',
  department: 'generale',
  aperta: true,
  urgente: false,
});
const page = (rows: ReportRow[], more: Partial<ReportList> = {}): ReportList => ({
  data: rows,
  nextCursor: null,
  prevCursor: null,
  counters: { total: 0, new: 0, inProgress: 0, resolved: 0 },
  search: { ready: true, indexed: 0, total: 0 },
  ...more,
});

let pages: Record<string, ReportList>;

beforeEach(() => {
  vi.stubGlobal('fetch', async (address: string) => {
    return Response.json(pages[new URL(address, 'http://x.example').search]);
  });
});

const d = row('d', 9);
const [a, b, c] = [row('a', 12), row('b', 11), row('c', 10)];

describe('the report beside another one', () => {
  it('is taken from the list', async () => {
    pages = { '': page([a, b, c]) };
    expect(await neighbourOf(b, '', 'older')).toEqual({ id: 'c', list: '' });
    expect(await neighbourOf(b, '', 'newer')).toEqual({ id: 'a', list: '' });
    expect(await neighbourOf(c, '', 'older')).toBeNull();
    expect(await neighbourOf(a, '', 'newer')).toBeNull();
  });

  it('keeps the filters of the list', async () => {
    pages = { '?search=ros&stato=Nuova': page([a, b]) };
    const list = '?search=ros&stato=Nuova';
    expect(await neighbourOf(a, list, 'older')).toEqual({ id: 'b', list });
  });

  it('goes on to the next page and back to the one before', async () => {
    pages = {
      '': page([a, b], { nextCursor: 'p2' }),
      '?cursor=p2': page([c, d], { prevCursor: 's2' }),
      '?cursor=s2': page([a, b], { nextCursor: 'p2' }),
    };
    expect(await neighbourOf(b, '', 'older')).toEqual({ id: 'c', list: '?cursor=p2' });
    expect(await neighbourOf(c, '?cursor=p2', 'newer')).toEqual({ id: 'b', list: '?cursor=s2' });
  });

  it('is found by date when the report itself no longer belongs to the list', async () => {
    pages = { '?stato=Nuova': page([a, c, d]) };
    const list = '?stato=Nuova';
    expect(await neighbourOf(b, list, 'older')).toEqual({ id: 'c', list });
    expect(await neighbourOf(b, list, 'newer')).toEqual({ id: 'a', list });
  });

  it('does not exist in an empty list', async () => {
    pages = { '?stato=Nuova': page([]) };
    expect(await neighbourOf(a, '?stato=Nuova', 'older')).toBeNull();
  });
});
