/** README's pictures show the menu that the program has: `make screenshots` writes its labels beside them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { screensOf } from './sidebar';

test('the menu in the pictures of README is the present one', () => {
  const pictured: unknown = JSON.parse(readFileSync('../docs/screenshots/menu.json', 'utf8'));
  const labels = screensOf({ administers: true } as Parameters<typeof screensOf>[0]).map(
    ({ label }) => label,
  );
  expect(pictured, 'run `make screenshots`').toEqual(labels);
});
