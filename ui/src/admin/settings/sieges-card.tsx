import type { Siege, SiegeCause } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { formatNumber } from '../../shared/lib/text';
import { Card } from '../../shared/ui/card';
import { Row, Text } from '../../shared/ui/layout';
import { List } from '../common/list/list';
import { Loaded } from '../common/loaded';
import { useRead } from '../common/use-read';

const CAUSES: Readonly<Record<SiegeCause, string>> = {
  giorno: 'Oltre la soglia giornaliera',
  raffica: 'Oltre metà della soglia in dieci minuti',
};

export function SiegesCard() {
  const sieges = useRead('/sieges', { background: true });
  return (
    <Loaded
      query={sieges}
      failed="Non è stato possibile caricare gli assedi"
      loading="Caricamento degli assedi…"
    >
      {({ data }) => (
        <Card title="Assedi">
          <List of={data} label="Assedi, dal più recente" empty="La modalità assedio non è mai cominciata.">
            {(siege) => <Entry key={siege.began} siege={siege} />}
          </List>
        </Card>
      )}
    </Loaded>
  );
}

function Entry({ siege }: { siege: Siege }) {
  const { began, ended, cause } = siege;
  return (
    <li>
      <Row justify="between" gap={1}>
        <Text strong>{CAUSES[cause]}</Text>
        <Text tone="muted" small digits>
          {ended
            ? `${formatDateTime(began)} – ${formatDateTime(ended)}`
            : `dal ${formatDateTime(began)}, in corso`}
        </Text>
      </Row>
      <Text tone="muted" small>
        {told(siege)}
      </Text>
    </li>
  );
}

export function told({ reports, setAside, restored, archived, erased, mailsSpared }: Siege): string {
  const done = [
    restored > 0 && `ripristinate: ${formatNumber(restored)}`,
    archived > 0 && `archiviate: ${formatNumber(archived)}`,
    erased > 0 && `cancellate: ${formatNumber(erased)}`,
  ].filter(Boolean);
  const cleared = done.length > 0 ? ` (${done.join(', ')})` : '';
  const received = `Arrivate durante l’assedio: ${formatNumber(reports)}`;
  return `${received}; messe da parte, anche di poco prima: ${formatNumber(setAside)}${cleared}; email risparmiate: ${formatNumber(mailsSpared)}.`;
}
