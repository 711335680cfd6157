/** A sealed archive that nobody has opened since: the password of whoever is logged in opens it. */
import { type ReactNode, useRef, useState } from 'react';
import { call } from '../../shared/api/client';
import { Button } from '../../shared/ui/button';
import { Form } from '../../shared/ui/form';
import { Row } from '../../shared/ui/layout';
import { PasswordField } from '../../shared/ui/text-field';
import { type Action, Failure, Send, useAction } from '../common/action';
import { isProblem } from '../common/errors';
import { FormDialog } from '../common/form-dialog';
import { useRights, useSession } from '../common/session/session-context';
import { useRefresh } from '../common/use-read';
import { useRefusal } from '../common/use-refusal';
import { Entrance } from '../entrance/entrance';

const TITLE = 'Apri l’archivio';
const FAILED = 'Archivio non aperto';

interface UnlockProps {
  /** A page is open, with what was typed there. */
  above: boolean;
  /** On without the reports. */
  onLeave: () => void;
}

export function Unlock({ above, onLeave }: UnlockProps) {
  const session = useSession();
  const refresh = useRefresh();
  const action = useAction();
  const [password, setPassword] = useState('');
  const open = async () => {
    await call('post', '/session/unlock', { body: { password } });
    await session.renew();
    // What is on screen was refused until now.
    void refresh();
  };
  const send = () => password !== '' && void action.run(open);
  const field = <Question of={action} password={password} onPassword={setPassword} />;
  return above ? (
    <FormDialog
      title={TITLE}
      of={action}
      failed={FAILED}
      label="Apri"
      blocked={password === ''}
      onSubmit={send}
      onClose={onLeave}
    >
      {field}
    </FormDialog>
  ) : (
    <FirstPage of={action} blocked={password === ''} onSubmit={send} onLeave={onLeave}>
      {field}
    </FirstPage>
  );
}

interface QuestionProps {
  of: Action;
  password: string;
  onPassword: (password: string) => void;
}

function Question({ of: { failure }, password, onPassword }: QuestionProps) {
  const { who } = useRights();
  return (
    <>
      <p>
        Le segnalazioni sono sigillate e nessuno le ha ancora aperte. Non tutte le passkey le aprono; la
        password sì, e basta una volta.
      </p>
      <PasswordField
        label={who ? 'La tua password' : 'Password della redazione'}
        name="password"
        error={isProblem(failure, 'password-non-valida') ? failure.detail : undefined}
        autoComplete="current-password"
        value={password}
        onValue={onPassword}
      />
    </>
  );
}

interface FirstPageProps {
  of: Action;
  blocked: boolean;
  onSubmit: () => unknown;
  onLeave: () => void;
  children: ReactNode;
}

/** In place of the panel, after a login that could not open the archive. */
function FirstPage({ of, blocked, onSubmit, onLeave, children }: FirstPageProps) {
  const session = useSession();
  const form = useRef<HTMLFormElement>(null);
  const told = useRefusal(form, of.failure);
  const leaving = useAction();
  return (
    <Entrance title={TITLE} subtitle="Hai fatto l’accesso, ma le segnalazioni sono ancora chiuse">
      <Form ref={form} onSubmit={onSubmit}>
        {told ? null : <Failure of={of} title={FAILED} />}
        {children}
        <Send variant="primary" busy={of.busy} blocked={blocked}>
          Apri
        </Send>
      </Form>
      <Failure of={leaving} title="Operazione non riuscita" />
      <Row>
        <Button variant="quiet" onClick={onLeave}>
          Continua senza aprire
        </Button>
        <Button variant="quiet" onClick={() => void leaving.run(() => session.logout())}>
          Esci
        </Button>
      </Row>
    </Entrance>
  );
}
