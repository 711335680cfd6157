import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX, RefreshCw, TriangleAlert } from 'lucide-react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { Check, CheckState } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { Spinner } from '../../shared/ui/spinner';
import { FaultText } from '../common/error-card';
import { paths } from '../common/paths';

/** An examination older than this is made anew when its card opens, in milliseconds. */
const FRESH_MS = 10 * 60_000;
/** More than the servers that it asks and the archive may take together. */
const TIMEOUT_MS = 90_000;

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

const MENDED_AT: Readonly<Record<string, string>> = {
  'server di posta': paths.setting('email/mail-server'),
  webhook: paths.setting('system/webhook'),
  allegati: paths.setting('system/attachments'),
  backup: paths.setting('system/backup'),
  consegne: paths.deliveries,
};

export function HealthCard() {
  const { data: found, isFetching: running, error: failure, refetch } = useExamination(true);
  return (
    <Card>
      <Stack gap={6}>
        <Row justify="between">
          <div role="status">
            <Text strong>{running ? 'Controllo in corso…' : found ? VERDICTS[found.worst] : ''}</Text>
            {!running && found ? (
              <Text tone="muted" small>
                Ultimo controllo: <time dateTime={found.at}>{formatDateTime(found.at)}</time>
              </Text>
            ) : null}
          </div>
          <Button
            inactive={running}
            icon={running ? <Spinner /> : <RefreshCw />}
            onClick={() => void refetch()}
          >
            Ricontrolla
          </Button>
        </Row>
        {failure && !running ? (
          <Message kind="error" title="Il controllo non è riuscito">
            <FaultText error={failure} />
          </Message>
        ) : null}
        {found ? (
          <Stack as="ul" lined aria-label="Controlli" aria-busy={running}>
            {found.checks.map((check) => (
              <CheckRow key={check.name} check={check} />
            ))}
          </Stack>
        ) : failure && !running ? null : (
          <Skeleton lines={6} tall />
        )}
      </Stack>
    </Card>
  );
}

function CheckRow({ check: { name, state, message } }: { check: Check }) {
  const { label, icon: Icon, dot, tone } = STATES[state];
  const where = MENDED_AT[name];
  return (
    <Row as="li" nowrap align="start" data-tone={dot}>
      <Icon />
      <div>
        <Row justify="between" gap={1}>
          <Text as="span" strong>
            {name.charAt(0).toLocaleUpperCase('it-IT') + name.slice(1)}
          </Text>{' '}
          <Text as="span" tone={tone} small strong>
            {label}
          </Text>
        </Row>
        <Text tone="muted" small>
          {message}
        </Text>
        {state !== 'ok' && where ? <Link to={where}>Vai alle impostazioni</Link> : null}
      </div>
    </Row>
  );
}

/** The last examination that this tab asked for; `anew` makes one where there is none of the last minutes. */
export function useExamination(anew: boolean) {
  return useQuery({
    queryKey: ['/system/doctor'],
    queryFn: () => call('post', '/system/doctor', { timeoutMs: TIMEOUT_MS }),
    enabled: anew,
    staleTime: FRESH_MS,
    refetchOnWindowFocus: false,
    retry: false,
  });
}
