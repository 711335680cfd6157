import { expect, it, vi } from 'vitest';
import { momentOf } from './moment';

it.each([
  ['2026-11-28T08:04:00Z', '9:04'],
  ['2026-11-27T22:41:00Z', 'ieri, 23:41'],
  // Beyond midnight by the newsroom's clock, though not by that of the server.
  ['2026-11-27T23:10:00Z', '0:10'],
  ['2026-11-23T13:02:00Z', 'lunedì, 14:02'],
  ['2026-11-21T13:02:00Z', '21/11/2026 14:02'],
  ['2026-11-29T13:02:00Z', '29/11/2026 14:02'],
])('%s is said %s', (instant, said) => {
  vi.useFakeTimers({ now: Date.parse('2026-11-28T09:00:00Z') });
  expect(momentOf(instant)).toBe(said);
});
