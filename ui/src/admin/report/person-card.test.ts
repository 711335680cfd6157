import { expect, it } from 'vitest';
import { mailtoOf } from '../common/report-fields';

it('keeps an address from adding headers to the mail it opens', () => {
  expect(mailtoOf('a@b.it?bcc=c@d.it&subject=x')).toBe('mailto:a@b.it%3Fbcc%3Dc%40d.it%26subject%3Dx');
});
