/** Routing, tried out and made to forget. Must store nothing of what is tried. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { DryRun, EmailSettings, RoutingResult } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Stack, Text } from '../../shared/ui/layout';
import { Skeleton } from '../../shared/ui/skeleton';
import { AreaField } from '../../shared/ui/text-field';
import { Asked, Failure, intoSight, Send, useAction } from '../common/action';
import { useDepartments } from '../common/departments';
import { errorsOf } from '../common/errors';
import { Loaded } from '../common/loaded';
import { paths } from '../common/paths';
import { Verdict } from '../common/routing/verdict';
import { adopt, keyOf, useRead } from '../common/use-read';
import type { Sections } from './api';
import { useSettings } from './settings-page';

/** Opening and routing five hundred reports takes a while. */
const DRY_RUN_MS = 60_000;

interface QuestionProps<T> {
  label: string;
  blocked?: boolean;
  describedBy?: string;
  ask: () => Promise<T>;
  children: (answer: T) => ReactNode;
}

function Question<T>({ label, blocked = false, describedBy, ask, children }: QuestionProps<T>) {
  const [answer, setAnswer] = useState<T | null>(null);
  const action = useAction();
  const run = async () => {
    setAnswer(null);
    setAnswer(await ask());
  };
  return (
    <>
      <div>
        <Send
          busy={action.busy}
          blocked={blocked}
          aria-describedby={describedBy}
          onClick={() => void action.run(run)}
        >
          {label}
        </Send>
      </div>
      <Failure of={action} title="Prova non riuscita">
        {errorsOf(action.failure).text}
      </Failure>
      <div role="status">
        {answer ? (
          <Stack boxed ref={intoSight}>
            {children(answer)}
          </Stack>
        ) : null}
      </div>
    </>
  );
}

export function TextTrial({ mode }: { mode: Sections['email']['routingMode'] }) {
  const [text, setText] = useState('');
  return (
    <Stack>
      <AreaField
        label="Testo di prova"
        hint="Dove andrebbe questo racconto, nel modo scelto sopra e con parole e soglia già salvate."
        rows={4}
        value={text}
        onValue={setText}
      />
      <Question<RoutingResult>
        label="Prova"
        blocked={text.trim() === ''}
        ask={() => call('post', '/routing/preview', { body: { text, mode } })}
      >
        {(verdict) => (
          <>
            <Verdict verdict={verdict} />
            <Text tone="muted" small>
              {verdict.email ? `L’email andrebbe a ${verdict.email}.` : 'Nessun indirizzo email è impostato.'}
            </Text>
          </>
        )}
      </Question>
    </Stack>
  );
}

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

export function DryRunTrial() {
  const hint = useId();
  const { nameOf } = useDepartments();
  const { changes } = useSettings<'email'>();
  const ask = () => {
    const { smtpPassword: _secret, ...typed } = changes();
    return call('post', '/routing/dry-run', { body: typed as EmailSettings, timeoutMs: DRY_RUN_MS });
  };
  return (
    <Stack>
      <Text tone="muted" small id={hint}>
        Che cosa cambierebbe sulle ultime segnalazioni con le impostazioni qui sopra, anche non salvate.
        Quelle già arrivate restano dove sono.
      </Text>
      <Question<DryRun> label="Prova sulle segnalazioni arrivate" describedBy={hint} ask={ask}>
        {(answer) => (
          <>
            <p>{sentenceOf(answer)}</p>
            {answer.examples.length > 0 ? (
              <Stack as="ul" gap={1}>
                {answer.examples.map(({ id, before, after }) => (
                  <Text as="li" key={id} small>
                    <Link to={paths.report(id)} title={id}>
                      #{id.slice(0, 8)}
                    </Link>{' '}
                    da {nameOf(before)} a {nameOf(after)}
                  </Text>
                ))}
              </Stack>
            ) : null}
          </>
        )}
      </Question>
    </Stack>
  );
}

function countOf(moves: number): string {
  if (moves === 0) {
    return 'Nessuno spostamento ricordato.';
  }
  return moves === 1 ? 'Uno spostamento ricordato.' : `${formatNumber(moves)} spostamenti ricordati.`;
}

export function Memory({ smart }: { smart: boolean }) {
  const client = useQueryClient();
  const action = useAction();
  const forget = async () => {
    const none = await call('delete', '/routing/memory', {});
    await adopt(client, keyOf('/routing/memory'), none, keyOf('/logs'));
    return 'Spostamenti dimenticati.';
  };
  return (
    <Loaded
      query={useRead('/routing/memory')}
      failed="Non è stato possibile caricare quello che lo smistamento ricorda"
      loading="Caricamento di quello che lo smistamento ricorda…"
      placeholder={<Skeleton lines={2} tall />}
    >
      {({ moves }) => (
        <Stack gap={6}>
          <Text small tone="muted">
            Quando la redazione sposta una segnalazione in un altro reparto, le copie quasi uguali che
            arrivano dopo vanno nello stesso reparto.
            {smart
              ? null
              : ' Adesso i reparti non si scelgono con l’analisi del contenuto: servirà se la riattivi.'}
          </Text>
          <p>{countOf(moves)}</p>
          <Failure of={action} title="Gli spostamenti non sono stati dimenticati" />
          <div>
            <Asked
              of={action}
              label="Dimentica"
              title="Dimentica gli spostamenti"
              confirmLabel="Dimentica"
              blocked={moves === 0}
              work={forget}
            >
              <p>
                Lo smistamento dimentica tutti gli spostamenti e torna a decidere solo con l’analisi del
                contenuto. Le segnalazioni restano dove sono. Questa azione non può essere annullata.
              </p>
            </Asked>
          </div>
        </Stack>
      )}
    </Loaded>
  );
}
