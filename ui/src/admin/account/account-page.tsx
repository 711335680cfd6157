/** One's own access. */
import { Card } from '../../shared/ui/card';
import { Page } from '../common/page';
import { PasswordForm } from '../common/password-form';
import { ROLE_NAMES } from '../common/people/people';
import { useRights } from '../session/session-context';

export function AccountPage() {
  const { who } = useRights();
  return (
    <Page
      title="Il tuo accesso"
      {...(who ? { subtitle: `${who.name} · ${who.user} · ${ROLE_NAMES[who.role]}` } : {})}
    >
      <Card>
        <PasswordForm user={who?.user} />
      </Card>
    </Page>
  );
}
