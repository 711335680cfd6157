import { CircleCheck, CircleX, RefreshCw, TriangleAlert } from 'lucide-react';
import type { Check, CheckState } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { Spinner } from '../../shared/ui/spinner';
import { FaultText } from '../common/error-card';
import { useExamination } from '../common/installation/queries';
import styles from './health-card.module.css';

const STATES = {
  ok: { label: 'A posto', icon: CircleCheck, dot: 'green', tone: 'success' },
  attenzione: { label: 'Attenzione', icon: TriangleAlert, dot: 'yellow', tone: 'warning' },
  errore: { label: 'Errore', icon: CircleX, dot: 'red', tone: 'danger' },
} as const satisfies Record<CheckState, object>;

const VERDICTS: Readonly<Record<CheckState, string>> = {
  ok: 'È tutto a posto.',
  attenzione: 'Funziona tutto, ma qualcosa merita uno sguardo.',
  errore: 'Qualcosa non funziona: leggi che cosa fare.',
};

/** 'Stato del sistema': what `segnalazioni doctor` says, a row each. */
export function HealthCard() {
  const { found, running, failure, again } = useExamination();
  return (
    <Card title="Stato del sistema">
      <Stack gap={6}>
        <Row justify="between">
          <div role="status">
            <Text strong>{running ? 'Controllo in corso…' : found?.worst ? VERDICTS[found.worst] : ''}</Text>
            {!running && found?.at ? (
              <Text tone="muted" small>
                Ultimo controllo: <time dateTime={found.at}>{formatDateTime(found.at)}</time>
              </Text>
            ) : null}
          </div>
          <Button
            inactive={running}
            icon={running ? <Spinner /> : <RefreshCw aria-hidden="true" />}
            onClick={again}
          >
            Ricontrolla
          </Button>
        </Row>
        {failure ? (
          <Message kind="error" title="Il controllo non è riuscito">
            <FaultText error={failure} />
          </Message>
        ) : null}
        {found && found.checks.length > 0 ? (
          <Stack as="ul" lined aria-label="Controlli" aria-busy={running}>
            {found.checks.map((check) => (
              <CheckRow key={check.name} check={check} />
            ))}
          </Stack>
        ) : failure ? null : (
          <Skeleton lines={6} tall />
        )}
      </Stack>
    </Card>
  );
}

function CheckRow({ check: { name, state, message } }: { check: Check }) {
  const { label, icon: Icon, dot, tone } = STATES[state];
  return (
    <Row as="li" nowrap align="start" data-tone={dot}>
      <Icon aria-hidden="true" />
      <div>
        <Row justify="between" gap={1}>
          <Text as="span" strong className={styles.name}>
            {name}
          </Text>{' '}
          <Text as="span" tone={tone} small strong>
            {label}
          </Text>
        </Row>
        <Text tone="muted" small>
          {message}
        </Text>
      </div>
    </Row>
  );
}
