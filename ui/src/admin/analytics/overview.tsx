import type { Analytics } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Card } from '../../shared/ui/card';
import { Fact, Facts } from '../../shared/ui/facts';
import { Stack, Text } from '../../shared/ui/layout';
import { FigureCard, FigureCards } from '../common/figure-cards';
import type { Stato } from '../common/stato';
import { NO_FILTERS, writeFilters } from '../reports/filters';
import { change } from './figures';

const STATES: readonly { name: string; stato: Stato; note: string }[] = [
  { name: 'Nuove', stato: 'Nuova', note: 'Richiedono attenzione' },
  { name: 'In Lavorazione', stato: 'In lavorazione', note: 'In corso di gestione' },
  { name: 'Risolte', stato: 'Risolta', note: 'Completate con successo' },
];

/** The four cards of the archive and the three counters of what has come in lately. */
export function Overview({
  analytics: { total, byStatus, monthChange, received },
}: {
  analytics: Analytics;
}) {
  const count = (wanted: Stato) => byStatus.find(({ stato }) => stato === wanted)?.count ?? 0;
  return (
    <Stack gap={4}>
      <FigureCards label="Riepilogo" wordy>
        <FigureCard name="Totale Segnalazioni" figure={formatNumber(total)} stato={null} query="">
          <Text as="span" tone="muted" small>
            <strong>{change(monthChange.percent)}</strong> vs mese scorso
            <br />
            {formatNumber(monthChange.current)} questo mese, {formatNumber(monthChange.previous)} nello stesso
            periodo del mese scorso
          </Text>
        </FigureCard>
        {STATES.map(({ name, stato, note }) => (
          <FigureCard
            key={stato}
            name={name}
            figure={formatNumber(count(stato))}
            stato={stato}
            query={writeFilters({ ...NO_FILTERS, stato })}
          >
            <Text as="span" tone="muted" small>
              {note}
            </Text>
          </FigureCard>
        ))}
      </FigureCards>
      <Card>
        <Facts label="Segnalazioni ricevute" layout="narrow" large>
          <Fact name={<When name="Oggi">da mezzanotte</When>}>{formatNumber(received.today)}</Fact>
          <Fact name={<When name="Questa settimana">ultimi 7 giorni</When>}>
            {formatNumber(received.week)}
          </Fact>
          <Fact name={<When name="Questo mese">ultimi 30 giorni</When>}>{formatNumber(received.month)}</Fact>
        </Facts>
      </Card>
    </Stack>
  );
}

function When({ name, children }: { name: string; children: string }) {
  return (
    <>
      {name} <small>({children})</small>
    </>
  );
}
