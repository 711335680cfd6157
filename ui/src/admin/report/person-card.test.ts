import { expect, it } from 'vitest';
import { PERSON_FIELDS, type Person } from '../common/report-fields';

it('keeps an address from adding headers to the mail it opens', () => {
  const mail = PERSON_FIELDS.find(({ label }) => label === 'Email');
  expect(mail?.link?.({ email: 'a@b.it?bcc=c@d.it&subject=x' } as Person)).toBe(
    'mailto:a@b.it%3Fbcc%3Dc%40d.it%26subject%3Dx',
  );
});
