import { describe, expect, it } from 'vitest';
import type { ReportRow } from '../../shared/api/schema';
import { sampleList, sampleRow } from '../testing/samples';
import { arrivalsSince } from './use-arrivals';

const row = (id: string, hour: number) =>
  sampleRow({ id, data_creazione: new Date(Date.UTC(2026, 10, 21, hour)).toISOString() });

const list = (rows: ReportRow[], total: number, prevCursor: string | null = null) =>
  sampleList(rows, {
    prevCursor,
    counters: { total, new: 0, inProgress: 0, resolved: 0 },
    search: { ready: true, indexed: total, total },
  });

describe('arrivals', () => {
  const seen = list([row('b', 9), row('a', 8)], 2);

  it('are none while nothing changes', () => {
    expect(arrivalsSince(seen, list([row('b', 9), row('a', 8)], 2))).toEqual({
      fresh: new Set(),
      elsewhere: 0,
    });
  });

  it('mark the new rows of the first page', () => {
    const now = arrivalsSince(seen, list([row('d', 11), row('c', 10), row('b', 9)], 4));
    expect(now).toEqual({ fresh: new Set(['d', 'c']), elsewhere: 0 });
  });

  it('count what the present selection does not show', () => {
    expect(arrivalsSince(seen, list([row('b', 9), row('a', 8)], 5)).elsewhere).toBe(3);
    expect(arrivalsSince(seen, list([row('d', 11), row('b', 9)], 3, 'newer'))).toEqual({
      fresh: new Set(),
      elsewhere: 1,
    });
  });

  it('do not mistake a row that moved into the selection for a new report', () => {
    expect(arrivalsSince(seen, list([row('b', 9), row('old', 7)], 2)).fresh.size).toBe(0);
    expect(arrivalsSince(seen, list([row('b', 9), row('old', 7)], 3))).toEqual({
      fresh: new Set(),
      elsewhere: 1,
    });
    expect(arrivalsSince(seen, list([row('reopened', 10), row('b', 9)], 2)).fresh.size).toBe(0);
  });

  it('find the first report of an empty archive', () => {
    expect(arrivalsSince(list([], 0), list([row('a', 8)], 1)).fresh).toEqual(new Set(['a']));
  });
});
