import { beforeEach, describe, expect, it } from 'vitest';
import type { ReportList } from '../../shared/api/schema';
import { on, problem } from '../../shared/testing/server';
import { sampleList, sampleRow } from '../testing/samples';
import { neighbourOf } from './neighbours';

const row = (id: string, hour: number) =>
  sampleRow({ id, data_creazione: new Date(Date.UTC(2026, 10, 21, hour)).toISOString() });
const page = sampleList;

let pages: Record<string, ReportList>;

beforeEach(() => {
  on('get', '/reports', ({ path }) => pages[path.replace('/reports', '')] ?? problem(404, 'non-trovato'));
});

const d = row('d', 9);
const [a, b, c] = [row('a', 12), row('b', 11), row('c', 10)];

describe('the report beside another one', () => {
  it('is taken from the list', async () => {
    pages = { '': page([a, b, c]) };
    expect(await neighbourOf(b, '', 'next')).toEqual({ id: 'c', list: '' });
    expect(await neighbourOf(b, '', 'previous')).toEqual({ id: 'a', list: '' });
    expect(await neighbourOf(c, '', 'next')).toBeNull();
    expect(await neighbourOf(a, '', 'previous')).toBeNull();
  });

  it('keeps the filters of the list', async () => {
    pages = { '?search=ros&stato=Nuova': page([a, b]) };
    const list = '?search=ros&stato=Nuova';
    expect(await neighbourOf(a, list, 'next')).toEqual({ id: 'b', list });
  });

  it('goes on with those that stood behind it once it has left the list, whatever their dates', async () => {
    pages = { '': page([row('late', 14), c]) };
    const known = { asked: (filters: object) => filters, behind: ['late', 'c'] };
    expect(await neighbourOf(a, '', 'next', known)).toEqual({ id: 'late', list: '' });
    expect(await neighbourOf(a, '', 'previous', known)).toBeNull();
  });

  it('goes on to the next page and back to the one before', async () => {
    pages = {
      '': page([a, b], { nextCursor: 'p2' }),
      '?cursor=p2': page([c, d], { prevCursor: 's2' }),
      '?cursor=s2': page([a, b], { nextCursor: 'p2' }),
    };
    expect(await neighbourOf(b, '', 'next')).toEqual({ id: 'c', list: '?cursor=p2' });
    expect(await neighbourOf(c, '?cursor=p2', 'previous')).toEqual({ id: 'b', list: '?cursor=s2' });
  });

  it('is found by date when the report itself no longer belongs to the list', async () => {
    pages = { '?stato=Nuova': page([a, c, d]) };
    const list = '?stato=Nuova';
    expect(await neighbourOf(b, list, 'next')).toEqual({ id: 'c', list });
    expect(await neighbourOf(b, list, 'previous')).toEqual({ id: 'a', list });
  });

  it('is the nearest one when reports that arrived have pushed it to another page', async () => {
    const [x, y] = [row('x', 14), row('y', 13)];
    pages = {
      '': page([x, y], { nextCursor: 'p2' }),
      '?cursor=p2': page([a, b], { nextCursor: 'p3', prevCursor: 's2' }),
      '?cursor=p3': page([c, d], { prevCursor: 's3' }),
      '?cursor=s2': page([x, y], { nextCursor: 'p2' }),
    };
    expect(await neighbourOf(a, '', 'next')).toEqual({ id: 'b', list: '?cursor=p2' });
    expect(await neighbourOf(b, '', 'next')).toEqual({ id: 'c', list: '?cursor=p3' });
    expect(await neighbourOf(b, '', 'previous')).toEqual({ id: 'a', list: '?cursor=p2' });
    expect(await neighbourOf(a, '', 'previous')).toEqual({ id: 'y', list: '?cursor=s2' });
    expect(await neighbourOf(d, '', 'next')).toBeNull();
  });

  it('is above it on the first page, which is filled up with what was below', async () => {
    pages = {
      '?cursor=p2': page([c, d], { prevCursor: 's2' }),
      '?cursor=s2': page([b, c], { nextCursor: 'p3' }),
    };
    expect(await neighbourOf(c, '?cursor=p2', 'previous')).toEqual({ id: 'b', list: '?cursor=s2' });
  });

  it('is on the next page when it is of the same instant', async () => {
    const twin = row('twin', 11);
    pages = { '': page([a, b], { nextCursor: 'p2' }), '?cursor=p2': page([twin, c], { prevCursor: 's2' }) };
    expect(await neighbourOf(b, '', 'next')).toEqual({ id: 'twin', list: '?cursor=p2' });
  });

  it('is not looked for without end', async () => {
    pages = { '': page([a], { nextCursor: 'p' }), '?cursor=p': page([b], { nextCursor: 'p' }) };
    await expect(neighbourOf(d, '', 'next')).rejects.toThrow(/molto più in basso/);
  });

  it('does not exist in an empty list', async () => {
    pages = { '?stato=Nuova': page([]) };
    expect(await neighbourOf(a, '?stato=Nuova', 'next')).toBeNull();
  });
});
