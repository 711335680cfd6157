import { useId, useState } from 'react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { DryRun, RoutingResult } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Field } from '../../shared/ui/field';
import { Stack, Text } from '../../shared/ui/layout';
import { TextArea } from '../../shared/ui/text-area';
import { Failure, Send, useAction } from '../common/action';
import { deskName } from '../common/departments';
import { paths } from '../common/paths';
import { Verdict } from '../common/routing/verdict';
import { changesFor, type EmailForm, type EmailSection, useSettings } from './section';

/** Opening and routing five hundred reports takes a while. */
const DRY_RUN_MS = 60_000;

/** Asks the server one thing at a time, and keeps its answer until the next. */
function useQuestion<T>() {
  const [answer, setAnswer] = useState<T | null>(null);
  const action = useAction();
  const ask = async (question: () => Promise<T>) => {
    const asked = action.run(async () => {
      setAnswer(await question());
      return null;
    });
    if (!(await asked)) {
      setAnswer(null);
    }
  };
  return { answer, action, ask };
}

/** Tries routing out: on a text, and on the latest reports with what is in the form. Nothing of it is stored. */
export function RoutingTrial({ email }: { email: EmailSection }) {
  return (
    <Stack gap={6}>
      <TextTrial mode={useSettings<'email'>().values.routingMode} />
      <hr />
      <DryRunTrial email={email} />
    </Stack>
  );
}

function TextTrial({ mode }: { mode: EmailForm['routingMode'] }) {
  const [text, setText] = useState('');
  const { answer, action, ask } = useQuestion<RoutingResult>();
  return (
    <Stack>
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
      <div>
        <Send
          busy={action.busy}
          blocked={text.trim() === ''}
          onClick={() => void ask(() => call('post', '/routing/preview', { body: { text, mode } }))}
        >
          Prova
        </Send>
      </div>
      <Failure of={action} title="Prova non riuscita" />
      <div role="status">
        {answer ? (
          <Stack boxed>
            <Verdict verdict={answer} />
            <Text tone="muted" small>
              {answer.email ? `L’email andrebbe a ${answer.email}.` : 'Nessun indirizzo email è impostato.'}
            </Text>
          </Stack>
        ) : null}
      </div>
    </Stack>
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

function DryRunTrial({ email }: { email: EmailSection }) {
  const hint = useId();
  const { changes } = useSettings<'email'>();
  const { answer, action, ask } = useQuestion<DryRun>();
  const run = () => {
    const { smtpPassword: _secret, smtpPasswordSet: _set, ...section } = email;
    const typed = Object.fromEntries(Object.entries(changes()).filter(([key]) => key in section));
    return call('post', '/routing/dry-run', { body: changesFor(typed, section), timeoutMs: DRY_RUN_MS });
  };
  return (
    <Stack>
      <Text tone="muted" small id={hint}>
        Che cosa cambierebbe sulle ultime segnalazioni con le impostazioni qui sopra, anche non salvate.
        Quelle già arrivate restano dove sono.
      </Text>
      <div>
        <Send busy={action.busy} aria-describedby={hint} onClick={() => void ask(run)}>
          Prova sulle segnalazioni arrivate
        </Send>
      </div>
      <Failure of={action} title="Prova non riuscita" />
      <div role="status">
        {answer ? (
          <Stack boxed>
            <p>{sentenceOf(answer)}</p>
            {answer.examples.length > 0 ? (
              <Stack as="ul" gap={1}>
                {answer.examples.map(({ id, before, after }) => (
                  <Text as="li" key={id} small>
                    <Link to={paths.report(id)} title={id}>
                      #{id.slice(0, 8)}
                    </Link>{' '}
                    da {deskName(before)} a {deskName(after)}
                  </Text>
                ))}
              </Stack>
            ) : null}
          </Stack>
        ) : null}
      </div>
    </Stack>
  );
}
