import { expect, it } from 'vitest';

const SOURCES = import.meta.glob<string>(['/src/**/*.tsx', '!**/*.test.*'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

it('no field cuts what is pasted: it is refused at the field, with its limit', () => {
  expect(Object.keys(SOURCES)).toContain('/src/shared/ui/text-input.tsx');
  const cutting = Object.entries(SOURCES).filter(([, source]) => /maxLength/i.test(source));
  expect(cutting.map(([path]) => path)).toEqual([]);
});
