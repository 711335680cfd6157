import { expect, it } from 'vitest';
import { REPORTER_FIELDS, type Reporter } from '../common/report-fields';

it('keeps an address from adding headers to the mail it opens', () => {
  const mail = REPORTER_FIELDS.find(({ label }) => label === 'Email');
  expect(mail?.href?.({ email: 'a@b.it?bcc=c@d.it&subject=x' } as Reporter)).toBe(
    'mailto:a@b.it%3Fbcc%3Dc%40d.it%26subject%3Dx',
  );
});
