import { describe, expect, it } from 'vitest';
import type { ReportList, ReportRow } from '../../shared/api/schema';
import { arrivalsSince } from './use-arrivals';

function row(id: string, hour: number): ReportRow {
  const data_creazione = new Date(Date.UTC(2026, 10, 21, hour)).toISOString();
  return {
    id,
    nome: 'A',
    cognome: 'B',
    email: 'a@b.it',
    telefono: '3',
    data_creazione,
    stato: 'Nuova',
    department: 'generale',
    unread: true,
    excerpt: 'Racconto.',
    origin: 'chat',
    urgente: false,
    sospetta: false,
    answerWaiting: false,
    withdrawal: null,
    labels: [],
    assegnataA: null,
    related: false,
    alike: 0,
    attachments: 0,
    messages: 0,
    due: null,
    snoozedUntil: null,
    story: null,
    maybe: null,
    inchiesta: null,
    versione: 1,
  };
}

function list(rows: ReportRow[], total: number, prevCursor: string | null = null): ReportList {
  return {
    data: rows,
    nextCursor: null,
    ahead: 0,
    prevCursor,
    counters: { total, new: 0, inProgress: 0, resolved: 0 },
    answersWaiting: 0,
    withdrawalsWaiting: 0,
    counts: { unread: 0, files: 0, urgent: 0, dueSoon: 0, dueLate: 0, snoozed: 0 },
    matching: 1,
    search: { ready: true, indexed: total, total },
    shown: { newest: 1, at: 0 },
  };
}

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
