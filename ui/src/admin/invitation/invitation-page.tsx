/** Where an invited person chooses a password. Must keep it in memory only, and spend the link by nothing else. */
import { useEffect, useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { call } from '../../shared/api/client';
import { Announcer } from '../../shared/ui/announcer';
import { Button, buttonClass } from '../../shared/ui/button';
import { Text } from '../../shared/ui/layout';
import { Failure, Send, useAction } from '../common/action';
import { errorsOf, isProblem } from '../common/errors';
import { NewPasswordForm } from '../common/new-password';
import { paths } from '../common/paths';
import { useSession } from '../common/session/session-context';
import { Entrance } from '../entrance/entrance';
import { useLinkToken } from '../entrance/link-token';
import { rememberWay } from '../login/way';

export function InvitationPage() {
  const token = useLinkToken();
  return (
    <>
      <Invitation key={token} token={token} />
      <Announcer />
    </>
  );
}

type Invited = { name: string; user: string };

function Invitation({ token }: { token: string | null }) {
  const session = useSession();
  const navigate = useNavigate();
  /** Null until it is known; `spent`: the link opens nothing any more. */
  const [invited, setInvited] = useState<Invited | 'spent' | null>(token === null ? 'spent' : null);
  const { run, ...action } = useAction();
  const { failure } = action;
  const attempt = (work: (token: string) => Promise<void>) =>
    run(async () => {
      try {
        await work(token ?? '');
      } catch (error) {
        if (!isProblem(error, 'invito-non-valido')) {
          throw error;
        }
        setInvited('spent');
      }
    });
  const open = () =>
    attempt(async (token) => setInvited(await call('post', '/invitations/open', { body: { token } })));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each link
  useEffect(() => {
    if (token !== null) {
      void open();
    }
  }, [token]);
  const choose = (password: string) =>
    attempt(async (token) => {
      await call('post', '/invitations', { body: { token, password } });
      rememberWay(true);
      await session.begin();
      navigate(paths.admin, { replace: true });
    });

  if (invited === 'spent') {
    return (
      <Entrance title="Invito non valido">
        <p>Questo invito è scaduto, incompleto o già usato. Un invito vale 72 ore e una volta sola.</p>
        <p>Chiedi a chi ti ha invitato di mandartene uno nuovo. Se hai già scelto la password, accedi.</p>
        <Link className={buttonClass} data-variant="primary" to={paths.login}>
          Vai all’accesso
        </Link>
      </Entrance>
    );
  }
  const wrong = errorsOf(failure).password;
  const failed = wrong ? null : <Failure of={action} title="Password non impostata" />;
  if (invited === null) {
    return (
      <Entrance title="Benvenuto nel pannello">
        {failed}
        {failure ? <Button onClick={() => void open()}>Riprova</Button> : <p role="status">Apro l’invito…</p>}
      </Entrance>
    );
  }
  return (
    <Entrance title={`Ciao ${invited.name}`} subtitle="Scegli la tua password per entrare nel pannello">
      {failed}
      <NewPasswordForm
        user={invited.user}
        repeatLabel="Ripeti la password"
        wrong={{ next: wrong }}
        onSubmit={({ next }) => choose(next)}
      >
        {(ready) => (
          <Send variant="primary" busy={action.busy} blocked={!ready}>
            Entra nel pannello
          </Send>
        )}
      </NewPasswordForm>
      <Text tone="muted" small>
        Le prossime volte accedi con il nome utente e questa password.
      </Text>
    </Entrance>
  );
}
