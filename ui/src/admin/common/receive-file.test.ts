import { describe, expect, it } from 'vitest';
import { fileNameOf } from './receive-file';

describe('the name of a file', () => {
  it('is the server’s, and empty where it gave none', () => {
    expect(fileNameOf('attachment; filename="a_b.csv"; filename*=UTF-8\'\'x.csv')).toBe('a_b.csv');
    expect([fileNameOf(null), fileNameOf('attachment')]).toEqual(['', '']);
  });
});
