import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../shared/api/client';
import { formatNumber } from '../../shared/lib/text';
import { Stack, Text } from '../../shared/ui/layout';
import { Skeleton } from '../../shared/ui/skeleton';
import { Asked } from '../common/action-button';
import { Failure, News } from '../common/action-news';
import { Loaded } from '../common/loaded';
import { useAction } from '../common/use-action';
import { adopt, useRead } from '../common/use-read';
import { messages } from './messages';

/** How many moves of reports routing remembers, and the way to forget them. */
export function MemoryCard({ smart }: { smart: boolean }) {
  return (
    <Loaded
      query={useRead('/routing/memory')}
      failed={messages.memory.notLoaded}
      loading="Caricamento di quello che lo smistamento ricorda…"
      placeholder={<Skeleton lines={2} tall />}
    >
      {({ moves }) => <Remembered moves={moves} smart={smart} />}
    </Loaded>
  );
}

function countOf(moves: number): string {
  if (moves === 0) {
    return 'Nessuno spostamento ricordato.';
  }
  return moves === 1 ? 'Uno spostamento ricordato.' : `${formatNumber(moves)} spostamenti ricordati.`;
}

function Remembered({ moves, smart }: { moves: number; smart: boolean }) {
  const client = useQueryClient();
  const action = useAction();
  const forget = async () => {
    await adopt(client, ['/routing/memory'], await call('delete', '/routing/memory', {}), ['/logs']);
    return messages.memory.forgotten;
  };
  return (
    <Stack gap={6}>
      <Text small tone="muted">
        Quando la redazione sposta una segnalazione in un altro reparto, le copie quasi uguali che arrivano
        dopo vanno nello stesso reparto.
        {smart
          ? null
          : ' Adesso i reparti non si scelgono con l’analisi del contenuto: servirà se la riattivi.'}
      </Text>
      <p>{countOf(moves)}</p>
      <Failure of={action} title={messages.memory.failed} />
      <div>
        <Asked
          of={action}
          label="Dimentica"
          title="Dimentica gli spostamenti"
          confirmLabel="Dimentica"
          blocked={moves === 0}
          work={forget}
        >
          <p>{messages.memory.question}</p>
        </Asked>
      </div>
      <News of={action} />
    </Stack>
  );
}
