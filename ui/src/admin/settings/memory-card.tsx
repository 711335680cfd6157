import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../shared/api/client';
import { formatNumber } from '../../shared/lib/text';
import { Stack, Text } from '../../shared/ui/layout';
import { Skeleton } from '../../shared/ui/skeleton';
import { Asked, Failure, News, useAction } from '../common/action';
import { Loaded } from '../common/loaded';
import { adopt, useRead } from '../common/use-read';

/** How many moves of reports routing remembers, and the way to forget them. */
export function MemoryCard({ smart }: { smart: boolean }) {
  return (
    <Loaded
      query={useRead('/routing/memory')}
      failed="Non è stato possibile caricare quello che lo smistamento ricorda"
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
    return 'Spostamenti dimenticati.';
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
      <News of={action} />
    </Stack>
  );
}
