/** Figures for tests, of a newsroom that has had a few reports. Must never hold a real person's data. */
import type { Analytics } from '../../shared/api/schema';

/** Thirty days up to 21 November 2026: two reports on the 20th, one on the 21st. */
function days(): Analytics['perDay'] {
  const first = Date.UTC(2026, 9, 23);
  return Array.from({ length: 30 }, (_, index) => {
    const date = new Date(first + index * 86_400_000).toISOString().slice(0, 10);
    return { date, count: date === '2026-11-20' ? 2 : date === '2026-11-21' ? 1 : 0 };
  });
}

export function sampleAnalytics(changes: Partial<Analytics> = {}): Analytics {
  return {
    total: 8,
    monthChange: { current: 6, previous: 4, percent: 50 },
    byStatus: [
      { stato: 'Nuova', count: 3, percent: 37.5 },
      { stato: 'In lavorazione', count: 2, percent: 25 },
      { stato: 'Risolta', count: 2, percent: 25 },
      { stato: 'Archiviata', count: 1, percent: 12.5 },
    ],
    byDepartment: [
      {
        department: 'sanita',
        name: 'Sanità/Ospedali',
        count: 5,
        percent: 62.5,
        perDay: days().map(({ count }) => count),
      },
      {
        department: 'generale',
        name: 'Redazione Generale',
        count: 3,
        percent: 37.5,
        perDay: days().map(() => 0),
      },
    ],
    received: { today: 1, week: 3, month: 7 },
    resolutionTime: { mean: 2.3, reports: 30 },
    resolutionRate: { resolved: 3, percent: 37.5 },
    codes: 5,
    codesUsed: 2,
    returnRate: 40,
    recent: [
      {
        id: '0b54a6c2-6d1e-4f0e-9f4e-6d2f1c3b7a90',
        nome: 'Maria',
        cognome: 'Rossi',
        data_creazione: '2026-11-20T22:30:00Z',
        stato: 'Nuova',
      },
    ],
    period: { from: '2026-10-23', to: '2026-11-21' },
    perDay: days(),
    perHour: Array.from({ length: 48 }, (_, hour) => (hour === 46 ? 1 : 0)),
    hoursFrom: '2026-11-19T11:00:00Z',
    openByAge: [1, 0, 3, 0, 0, 1],
    firstLook: { mean: 240, reports: 5 },
    firstLookUrgent: { mean: 12, reports: 1 },
    promisesFirst: { kept: 3, missed: 1 },
    promisesOutcome: { kept: 0, missed: 0 },
    answersWaiting: 2,
    answersSince: '2026-11-20T22:30:00Z',
    askedBack: { asked: 20, read: 15, answered: 12 },
    chatStops: {
      since: '2026-10-23',
      started: 10,
      completed: 6,
      minors: 1,
      unfinished: 3,
      states: [
        {
          state: 'age_check',
          reached: 10,
          answered: 8,
          unfinished: 1,
          refusals: [{ rule: 'invalid', count: 4 }],
        },
        { state: 'collect_name', reached: 8, answered: 8, unfinished: 0, refusals: [] },
        {
          state: 'investigative_questions',
          reached: 8,
          answered: 6,
          unfinished: 2,
          refusals: [
            { rule: 'too_short', count: 1 },
            { rule: 'forbidden', count: 1200 },
          ],
        },
      ],
    },
    ...changes,
  };
}

/** The figures of a newsroom without reports. */
export function noAnalytics(): Analytics {
  const { byStatus, byDepartment, perDay, chatStops, period, hoursFrom } = sampleAnalytics();
  return {
    period,
    hoursFrom,
    perHour: Array.from({ length: 48 }, () => 0),
    openByAge: [0, 0, 0, 0, 0, 0],
    firstLook: { mean: null, reports: 0 },
    firstLookUrgent: { mean: null, reports: 0 },
    promisesFirst: { kept: 0, missed: 0 },
    promisesOutcome: { kept: 0, missed: 0 },
    answersWaiting: 0,
    answersSince: null,
    askedBack: { asked: 0, read: 0, answered: 0 },
    total: 0,
    monthChange: { current: 0, previous: 0, percent: null },
    byStatus: byStatus.map(({ stato }) => ({ stato, count: 0, percent: null })),
    byDepartment: byDepartment.map((desk) => ({
      ...desk,
      count: 0,
      percent: null,
      perDay: desk.perDay.map(() => 0),
    })),
    received: { today: 0, week: 0, month: 0 },
    resolutionTime: { mean: null, reports: 0 },
    resolutionRate: { resolved: 0, percent: null },
    codes: 0,
    codesUsed: 0,
    returnRate: null,
    recent: [],
    perDay: perDay.map(({ date }) => ({ date, count: 0 })),
    chatStops: chatStops && {
      ...chatStops,
      started: 0,
      completed: 0,
      minors: 0,
      unfinished: 0,
      states: chatStops.states.map(({ state }) => ({
        state,
        reached: 0,
        answered: 0,
        unfinished: 0,
        refusals: [],
      })),
    },
  };
}
