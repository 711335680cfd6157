import { CalendarCheck } from 'lucide-react';
import { Link } from 'react-router-dom';
import type { ExpiringRow } from '../../shared/api/schema';
import { formatDate } from '../../shared/lib/dates';
import { Badge } from '../../shared/ui/badge';
import { Card } from '../../shared/ui/card';
import { EmptyState } from '../../shared/ui/empty-state';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { reporterName } from '../common/reporter-name';
import { LOOK_MS, useRetention } from '../common/retention';
import { toneOf } from '../common/stato';
import { useRead } from '../common/use-read';

export function RetentionPage() {
  const unlimited = useRetention().data?.days === 0;
  return (
    <Page
      title="Segnalazioni in scadenza"
      subtitle={
        unlimited
          ? 'Senza una durata di conservazione restano tutte'
          : 'Verranno cancellate da sole, per la durata di conservazione scelta'
      }
      back={paths.reports}
    >
      <Loaded
        query={useRead('/retention/reports', { refetchInterval: LOOK_MS })}
        loading="Caricamento delle segnalazioni in scadenza…"
        failed="Non è stato possibile caricare le segnalazioni in scadenza"
      >
        {({ data }) => <List rows={data} />}
      </Loaded>
    </Page>
  );
}

function List({ rows }: { rows: readonly ExpiringRow[] }) {
  if (rows.length === 0) {
    return (
      <Card>
        <EmptyState icon={<CalendarCheck />} title="Nessuna segnalazione in scadenza">
          <p>Nei prossimi 14 giorni non verrà cancellata nessuna segnalazione.</p>
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <p>
        Per conservarne una, aprila e riportala In lavorazione. Le segnalazioni nuove, in lavorazione o mai
        aperte non vengono mai cancellate da sole.{' '}
        <Link to={paths.setting('security/retention', 'reportRetentionDays')}>Cambia la durata</Link>
      </p>
      <Card>
        <Stack as="ul" lined aria-label="Segnalazioni in scadenza">
          {rows.map((row) => (
            <Row as="li" key={row.id} justify="between" gap={2}>
              <div>
                <Link to={paths.report(row.id)}>{reporterName(row)}</Link>
                <Text tone="muted">Ricevuta il {formatDate(row.data_creazione)}</Text>
              </div>
              <Row as="p">
                <Badge tone={toneOf(row.stato)}>{row.stato}</Badge>
                <strong>
                  Verrà cancellata il <time dateTime={row.scadenza}>{formatDate(row.scadenza)}</time>
                </strong>
              </Row>
            </Row>
          ))}
        </Stack>
      </Card>
    </>
  );
}
