import { describe, expect, it } from 'vitest';
import { readTrail } from './paths';

describe('the trail of a history entry', () => {
  it('returns only to addresses of the panel', () => {
    expect(readTrail({ from: '/admin/reports?stato=Nuova', list: '?period=week' })).toEqual({
      from: '/admin/reports?stato=Nuova',
      list: '?period=week',
    });
    for (const from of ['//altrove.it', 'https://altrove.it', '/administrator', '/login', 7]) {
      expect(readTrail({ from })).toEqual({});
    }
    expect(readTrail({ list: 'javascript:alert(1)' })).toEqual({});
    expect(readTrail(null)).toEqual({});
  });
});
