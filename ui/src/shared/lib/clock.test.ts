import { beforeEach, describe, expect, it, vi } from 'vitest';

const SERVER = Date.parse('2026-11-28T09:00:00Z');

describe('the time by the server’s clock', () => {
  beforeEach(() => {
    vi.resetModules();
    vi.useFakeTimers({ toFake: ['Date'] });
    return () => vi.useRealTimers();
  });

  it.each([
    ['65 minutes ahead', 65 * 60_000],
    ['13 hours ahead', 13 * 3_600_000],
    ['two days behind', -2 * 86_400_000],
  ])('is right on a computer that is %s, and goes on with its clock', async (_, ahead) => {
    const { now, setClock } = await import('./clock');
    vi.setSystemTime(SERVER + ahead);
    setClock('Sat, 28 Nov 2026 09:00:00 GMT');
    expect(now()).toBe(SERVER);
    vi.setSystemTime(SERVER + ahead + 60_000);
    expect(now()).toBe(SERVER + 60_000);
    // Its clock was put right meanwhile.
    vi.setSystemTime(SERVER + 120_000);
    setClock('Sat, 28 Nov 2026 09:02:00 GMT');
    expect(now()).toBe(SERVER + 120_000);
  });

  it('is that of the computer where the two agree to a second, or nothing is said', async () => {
    const { now, setClock } = await import('./clock');
    vi.setSystemTime(SERVER + 900);
    for (const date of ['Sat, 28 Nov 2026 09:00:00 GMT', null, '', 'domani']) {
      setClock(date);
      expect(now(), String(date)).toBe(SERVER + 900);
    }
  });
});
