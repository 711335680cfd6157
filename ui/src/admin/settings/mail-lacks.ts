/** What a form of the e-mail settings lacks for mail to go out. Must judge as the server does (PRODUCT.md §5). */
import type { MailLack } from '../common/deliveries/mail-lacks';
import type { EmailForm } from './section';

const isEmpty = (text: string | null | undefined) => (text ?? '').trim() === '';

export function lacksOf(form: EmailForm): MailLack[] {
  if (!form.emailAutoSend) {
    return [];
  }
  // What has no address of its own goes to one of these; what fits no department has none of its own.
  const somebody = !isEmpty(form.emailRecipient) || !isEmpty(form.emailFallback);
  const lacks: [boolean, MailLack][] = [
    [isEmpty(form.smtpHost), 'server'],
    [isEmpty(form.emailFrom), 'sender'],
    [!somebody, 'recipient'],
  ];
  return lacks.flatMap(([missing, lack]) => (missing ? [lack] : []));
}
