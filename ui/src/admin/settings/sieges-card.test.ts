import { expect, it } from 'vitest';
import { told } from './sieges-card';

it('tells of a siege what arrived and what was done with what was set aside', () => {
  const siege = {
    began: '2026-03-10T09:00:00Z',
    ended: '2026-03-10T09:40:00Z',
    cause: 'raffica' as const,
    reports: 10_012,
    setAside: 10_000,
    mailsSpared: 0,
    restored: 0,
    archived: 0,
    erased: 0,
  };
  expect(told(siege)).toBe(
    'Arrivate durante l’assedio: 10.012; messe da parte, anche di poco prima: 10.000; email risparmiate: 0.',
  );
  expect(told({ ...siege, restored: 4, erased: 9996 })).toContain(
    'anche di poco prima: 10.000 (ripristinate: 4, cancellate: 9.996);',
  );
});
