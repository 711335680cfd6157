/** The five steps of the first set-up. Must keep password and code in memory only. */
import { Printer } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { call } from '../../shared/api/client';
import { ApiProblem } from '../../shared/api/errors';
import type { DepartmentList, Security } from '../../shared/api/schema';
import { Announcer } from '../../shared/ui/announcer';
import { Button, buttonClass } from '../../shared/ui/button';
import { Form } from '../../shared/ui/form';
import { Row, Stack } from '../../shared/ui/layout';
import { Switch } from '../../shared/ui/switch';
import { Failure, Send, useAction } from '../common/action';
import { CONTACT_RULES, type ContactRule, type ContactRules } from '../common/contact-rules';
import { CopyButton } from '../common/copy-button';
import { errorsOf, isProblem, ToldError } from '../common/errors';
import { NewPasswordForm } from '../common/new-password';
import { paths } from '../common/paths';
import { RecoveryCodeForm } from '../common/recovery-code';
import { useSession } from '../common/session/session-context';
import { Entrance } from '../entrance/entrance';
import { useLinkToken } from '../entrance/link-token';
import styles from './code-step.module.css';
import { DepartmentsStep, type Line, putDepartments } from './departments-step';

/** `bad-link`: missing, used up, too old or cut; `already`: a password was chosen in the meantime. */
type SetupStep = 'password' | 'code' | 'confirm' | 'rules' | 'departments' | 'bad-link' | 'already';

const TITLES: Readonly<Record<SetupStep, { title: string; subtitle?: string }>> = {
  password: { title: 'Configura il pannello', subtitle: 'Passo 1 di 5: scegli la password della redazione' },
  code: { title: 'Il codice di recupero', subtitle: 'Passo 2 di 5: conserva il codice' },
  confirm: { title: 'Verifica il codice', subtitle: 'Passo 3 di 5: riscrivi il codice' },
  rules: { title: 'Che cosa serve per segnalare', subtitle: 'Passo 4 di 5: si cambia anche dopo' },
  departments: { title: 'I reparti', subtitle: 'Passo 5 di 5: si cambiano anche dopo' },
  'bad-link': { title: 'Link non valido' },
  already: { title: 'Il pannello è già configurato' },
};

export function SetupPage() {
  const token = useLinkToken();
  // A new link opened in the same tab starts from the beginning.
  return (
    <>
      <Setup key={token} token={token} />
      <Announcer />
    </>
  );
}

function Setup({ token }: { token: string | null }) {
  const session = useSession();
  const navigate = useNavigate();
  const [step, setStep] = useState<SetupStep>(token === null ? 'bad-link' : 'password');
  const [password, setPassword] = useState('');
  const [recoveryCode, setRecoveryCode] = useState('');
  const [rules, setRules] = useState<ContactRules | null>(null);
  const [given, setGiven] = useState<DepartmentList['data']>([]);
  const action = useAction();
  const { failure } = action;
  const { password: wrongPassword, recoveryCode: wrongCode } = errorsOf(failure);
  const run = (work: (token: string) => Promise<void>) =>
    action.run(async () => {
      try {
        await work(token ?? '');
      } catch (error) {
        if (isProblem(error, 'link-non-valido')) {
          setStep('bad-link');
        } else if (isProblem(error, 'gia-configurato')) {
          setStep('already');
        } else {
          if (error instanceof ApiProblem && error.errors.password) {
            setStep('password');
          }
          throw error;
        }
      }
    });
  const choose = (chosen: string) =>
    run(async (token) => {
      const body = { token, password: chosen };
      setRecoveryCode((await call('post', '/setup/recovery-code', { body })).recoveryCode);
      setPassword(chosen);
      setStep('code');
    });
  const finish = (typed: string) =>
    run(async (token) => {
      await call('post', '/setup', { body: { token, password, recoveryCode: typed } });
      await session.begin();
      try {
        setRules(await call('get', '/settings/security', {}));
        setStep('rules');
      } catch {
        enter();
      }
    });
  const enter = () => navigate(paths.admin, { replace: true });
  const settle = (chosen: Partial<ContactRules>) =>
    run(async () => {
      if (Object.keys(chosen).length > 0) {
        await call('put', '/settings/security', { body: chosen as Security });
      }
      setGiven((await call('get', '/departments', {})).data);
      setStep('departments');
    });
  const staff = (lines: readonly Line[] | null) =>
    run(async () => {
      if (lines) {
        await putDepartments(lines).catch(async (error: unknown) => {
          // Some may be other ones by now; where that cannot be read, none is named.
          setGiven(
            await call('get', '/departments', {}).then(
              ({ data }) => data,
              () => [],
            ),
          );
          throw error;
        });
      }
      enter();
    });

  return (
    <Entrance key={step} {...TITLES[step]}>
      {wrongPassword || wrongCode || failure instanceof ToldError ? null : (
        <Failure of={action} title="Configurazione non riuscita" />
      )}
      {step === 'password' ? (
        <NewPasswordForm
          repeatLabel="Ripeti la password"
          wrong={{ next: wrongPassword }}
          onSubmit={({ next }) => choose(next)}
        >
          {(ready) => (
            <Send variant="primary" busy={action.busy} blocked={!ready}>
              Continua
            </Send>
          )}
        </NewPasswordForm>
      ) : null}
      {step === 'code' ? (
        <CodeStep recoveryCode={recoveryCode} onContinue={() => setStep('confirm')} />
      ) : null}
      {step === 'confirm' ? (
        <RecoveryCodeForm
          hint="Riscrivilo dalla tua copia: così sei certo che è giusta."
          refused={wrongCode}
          onSubmit={(typed) => void finish(typed)}
        >
          {(blank) => (
            <>
              <Send variant="primary" busy={action.busy} blocked={blank}>
                Continua
              </Send>
              <Button inactive={action.busy} onClick={() => setStep('code')}>
                Mostra di nuovo il codice
              </Button>
            </>
          )}
        </RecoveryCodeForm>
      ) : null}
      {step === 'rules' && rules ? <RulesStep rules={rules} busy={action.busy} onContinue={settle} /> : null}
      {step === 'departments' ? <DepartmentsStep {...{ given, action }} onContinue={staff} /> : null}
      {step === 'bad-link' ? <BadLink /> : null}
      {step === 'already' ? <Already /> : null}
    </Entrance>
  );
}

function CodeStep({ recoveryCode, onContinue }: { recoveryCode: string; onContinue: () => void }) {
  return (
    <Stack gap={4}>
      <p>
        Le segnalazioni sono conservate cifrate. Se un giorno mancheranno sia la password sia le chiavi del
        server, per esempio perché resta solo una copia dei dati,{' '}
        <strong>questo codice sarà l’unico modo per rileggerle</strong>.
      </p>
      <p className={styles.code}>
        <span className="visually-hidden">Codice di recupero: </span>
        {recoveryCode.split(/(?<=-)/).map((group, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups may repeat and never move
          <span key={index} className={styles.group}>
            {group}
          </span>
        ))}
      </p>
      <Row className={styles.tools}>
        <CopyButton text={recoveryCode} label="Copia" />
        <Button icon={<Printer />} onClick={() => window.print()}>
          Stampa
        </Button>
      </Row>
      <Stack as="ul" gap={2} dotted>
        <li>Stampalo, o salvalo in un gestore di password.</li>
        <li>Conservalo lontano dal server, in un luogo chiuso a chiave.</li>
        <li>Non lo vedrai più: nel passo successivo ti chiediamo di riscriverlo.</li>
      </Stack>
      <Button variant="primary" className={styles.next ?? ''} onClick={onContinue}>
        Ho conservato il codice
      </Button>
    </Stack>
  );
}

interface RulesStepProps {
  rules: ContactRules;
  busy: boolean;
  onContinue: (chosen: Partial<ContactRules>) => void;
}

function RulesStep({ rules, busy, onContinue }: RulesStepProps) {
  const [chosen, choose] = useState<Partial<ContactRules>>({});
  const now = { ...rules, ...chosen };
  return (
    <Form onSubmit={() => onContinue(chosen)}>
      {(Object.keys(CONTACT_RULES) as ContactRule[]).map((name) => (
        <Switch
          key={name}
          {...CONTACT_RULES[name]}
          checked={now[name]}
          onChange={(on) => choose({ ...chosen, [name]: on })}
        />
      ))}
      <Send variant="primary" busy={busy}>
        Continua
      </Send>
    </Form>
  );
}

function BadLink() {
  return (
    <Stack>
      <p>Questo link di configurazione è scaduto, incompleto o già usato. Per averne uno nuovo:</p>
      <Stack as="ul" gap={2} dotted>
        <li>riavvia il programma: all’avvio scrive nel terminale un nuovo link, valido 30 minuti;</li>
        <li>
          oppure scegli la password direttamente dal terminale, con <code>segnalazioni reset-password</code>.
        </li>
      </Stack>
    </Stack>
  );
}

function Already() {
  return (
    <>
      <p>
        La password è già stata scelta. Se l’hai dimenticata, dal terminale del server usa{' '}
        <code>segnalazioni reset-password</code>.
      </p>
      <Link className={buttonClass} data-variant="primary" to={paths.login}>
        Vai all’accesso
      </Link>
    </>
  );
}
