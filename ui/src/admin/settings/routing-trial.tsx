import { useId, useState } from 'react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { DryRun, RoutingResult } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Field } from '../../shared/ui/field';
import { Message } from '../../shared/ui/message';
import { Spinner } from '../../shared/ui/spinner';
import { TextArea } from '../../shared/ui/text-area';
import { deskName } from '../common/departments';
import type { EditsForm } from '../common/edits/use-edits';
import { FaultText } from '../common/error-card';
import { paths } from '../common/paths';
import { Verdict } from '../common/routing/verdict';
import styles from './routing-trial.module.css';
import { changesFor, type EmailForm, type EmailSection } from './sections';
import { stackClass } from './settings-page';

/** Opening and routing five hundred reports takes a while. */
const DRY_RUN_MS = 60_000;

/** Asks the server one thing at a time, and keeps its answer until the next. */
function useQuestion<T>() {
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<T | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const ask = async (question: () => Promise<T>) => {
    if (busy) {
      return;
    }
    setBusy(true);
    setFailure(null);
    try {
      setAnswer(await question());
    } catch (error) {
      setAnswer(null);
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return { busy, answer, failure, ask, dismiss: () => setFailure(null) };
}

interface RoutingTrialProps {
  form: EditsForm<EmailForm>;
  email: EmailSection;
}

/** Tries routing out: on a text, and on the latest reports with what is in the form. Nothing of it is stored. */
export function RoutingTrial({ form, email }: RoutingTrialProps) {
  return (
    <div className={stackClass}>
      <TextTrial mode={form.values.routingMode} />
      <hr />
      <DryRunTrial form={form} email={email} />
    </div>
  );
}

function TextTrial({ mode }: { mode: EmailForm['routingMode'] }) {
  const [text, setText] = useState('');
  const { busy, answer, failure, ask, dismiss } = useQuestion<RoutingResult>();
  const inactive = text.trim() === '' || busy;
  return (
    <div className={styles.trial}>
      <Field
        label="Testo di prova"
        hint="Dove andrebbe questo racconto, nel modo scelto sopra e con parole e soglia già salvate."
      >
        {(control) => (
          <TextArea
            {...control}
            rows={4}
            value={text}
            maxLength={20_000}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <Button
        inactive={inactive}
        icon={busy ? <Spinner /> : undefined}
        onClick={() => void ask(() => call('post', '/routing/preview', { body: { text, mode } }))}
      >
        {busy ? 'Attendi…' : 'Prova'}
      </Button>
      {failure ? (
        <Message kind="error" title="Prova non riuscita" onDismiss={dismiss}>
          <FaultText error={failure} />
        </Message>
      ) : null}
      <div role="status">
        {answer ? (
          <div className={styles.answer}>
            <Verdict verdict={answer} />
            <p className={styles.to}>
              {answer.email ? `L’email andrebbe a ${answer.email}.` : 'Nessun indirizzo email è impostato.'}
            </p>
          </div>
        ) : null}
      </div>
    </div>
  );
}

/** How many of the latest reports the form would send elsewhere. */
function sentenceOf({ looked, changed }: DryRun): string {
  if (looked === 0) {
    return 'Non c’è ancora nessuna segnalazione su cui provare.';
  }
  const among =
    looked === 1 ? 'Sull’unica segnalazione' : `Sulle ultime ${formatNumber(looked)} segnalazioni`;
  if (changed === 0) {
    return `${among} non cambierebbe nulla.`;
  }
  return changed === 1
    ? `${among}, una cambierebbe reparto.`
    : `${among}, ${formatNumber(changed)} cambierebbero reparto.`;
}

function DryRunTrial({ form, email }: RoutingTrialProps) {
  const hint = useId();
  const { busy, answer, failure, ask, dismiss } = useQuestion<DryRun>();
  const run = () => {
    const { smtpPassword: _secret, smtpPasswordSet: _set, ...section } = email;
    const keys = [...form.changed].filter((key) => key in section);
    const typed = Object.fromEntries(keys.map((key) => [key, form.values[key as keyof EmailForm]]));
    return call('post', '/routing/dry-run', {
      body: changesFor<typeof section>(typed, section),
      timeoutMs: DRY_RUN_MS,
    });
  };
  return (
    <div className={styles.trial}>
      <p className={styles.hint} id={hint}>
        Che cosa cambierebbe sulle ultime segnalazioni con le impostazioni qui sopra, anche non salvate.
        Quelle già arrivate restano dove sono.
      </p>
      <Button
        inactive={busy}
        icon={busy ? <Spinner /> : undefined}
        aria-describedby={hint}
        onClick={() => void ask(run)}
      >
        {busy ? 'Attendi…' : 'Prova sulle segnalazioni arrivate'}
      </Button>
      {failure ? (
        <Message kind="error" title="Prova non riuscita" onDismiss={dismiss}>
          <FaultText error={failure} />
        </Message>
      ) : null}
      <div role="status">
        {answer ? (
          <div className={styles.answer}>
            <p>{sentenceOf(answer)}</p>
            {answer.examples.length > 0 ? (
              <ul className={styles.examples}>
                {answer.examples.map(({ id, before, after }) => (
                  <li key={id}>
                    <Link to={paths.report(id)} title={id}>
                      #{id.slice(0, 8)}
                    </Link>{' '}
                    da {deskName(before)} a {deskName(after)}
                  </li>
                ))}
              </ul>
            ) : null}
          </div>
        ) : null}
      </div>
    </div>
  );
}
