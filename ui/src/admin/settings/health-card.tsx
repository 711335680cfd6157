import { CircleCheck, CircleX, type LucideIcon, RefreshCw, TriangleAlert } from 'lucide-react';
import type { Check, CheckState } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Row, Stack } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { Spinner } from '../../shared/ui/spinner';
import { FaultText } from '../common/error-card';
import { type Checkup, useExamination } from '../common/installation/queries';
import styles from './health-card.module.css';

const STATES: Readonly<Record<CheckState, { label: string; icon: LucideIcon }>> = {
  ok: { label: 'A posto', icon: CircleCheck },
  attenzione: { label: 'Attenzione', icon: TriangleAlert },
  errore: { label: 'Errore', icon: CircleX },
};

const VERDICTS: Readonly<Record<CheckState, string>> = {
  ok: 'È tutto a posto.',
  attenzione: 'Funziona tutto, ma qualcosa merita uno sguardo.',
  errore: 'Qualcosa non funziona: leggi che cosa fare.',
};

/** 'Stato del sistema': what `segnalazioni doctor` says, a row each. */
export function HealthCard() {
  const checkup = useExamination();
  return (
    <Card title="Stato del sistema">
      <Stack gap={6}>
        <Head {...checkup} />
        {checkup.failure ? (
          <Message kind="error" title="Il controllo non è riuscito">
            <FaultText error={checkup.failure} />
          </Message>
        ) : null}
        <Checks {...checkup} />
      </Stack>
    </Card>
  );
}

function Head({ found, running, again }: Checkup) {
  return (
    <Row justify="between">
      <p role="status" className={styles.summary}>
        {running ? 'Controllo in corso…' : found?.worst ? VERDICTS[found.worst] : ''}
        {!running && found?.at ? (
          <small>
            Ultimo controllo: <time dateTime={found.at}>{formatDateTime(found.at)}</time>
          </small>
        ) : null}
      </p>
      <Button
        inactive={running}
        icon={running ? <Spinner /> : <RefreshCw aria-hidden="true" />}
        onClick={again}
      >
        Ricontrolla
      </Button>
    </Row>
  );
}

function Checks({ found, running, failure }: Checkup) {
  if (found && found.checks.length > 0) {
    return (
      <ul className={styles.checks} aria-label="Controlli" aria-busy={running}>
        {found.checks.map((check) => (
          <CheckRow key={check.name} check={check} />
        ))}
      </ul>
    );
  }
  return failure ? null : <Skeleton lines={6} tall />;
}

function CheckRow({ check: { name, state, message } }: { check: Check }) {
  const { label, icon: Icon } = STATES[state];
  return (
    <li className={styles.check} data-state={state}>
      <Icon aria-hidden="true" />
      <div>
        <p className={styles.name}>
          <span>{name}</span> <span className={styles.state}>{label}</span>
        </p>
        <p className={styles.message}>{message}</p>
      </div>
    </li>
  );
}
