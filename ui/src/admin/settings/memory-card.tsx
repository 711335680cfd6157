import { useState } from 'react';
import { formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Confirm } from '../../shared/ui/confirm';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { StatusMessage } from '../../shared/ui/status-message';
import { ErrorCard, FaultText } from '../common/error-card';
import { Loading } from '../common/loading';
import styles from './memory-card.module.css';
import { messages } from './messages';
import { useForgetMoves, useRoutingMemory } from './queries';
import { stackClass } from './settings-page';

/** How many moves of reports routing remembers, and the way to forget them. */
export function MemoryCard({ smart }: { smart: boolean }) {
  const memory = useRoutingMemory();
  if (memory.data) {
    return <Remembered moves={memory.data.moves} smart={smart} />;
  }
  return memory.isError ? (
    <ErrorCard title={messages.memory.notLoaded} error={memory.error} onRetry={() => void memory.refetch()} />
  ) : (
    <Loading label="Caricamento di quello che lo smistamento ricorda…">
      <Skeleton lines={2} tall />
    </Loading>
  );
}

function countOf(moves: number): string {
  if (moves === 0) {
    return 'Nessuno spostamento ricordato.';
  }
  return moves === 1 ? 'Uno spostamento ricordato.' : `${formatNumber(moves)} spostamenti ricordati.`;
}

function Remembered({ moves, smart }: { moves: number; smart: boolean }) {
  const forget = useForgetMoves();
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [news, setNews] = useState<{ text: string } | null>(null);

  const run = async () => {
    setAsking(false);
    setBusy(true);
    setFailure(null);
    try {
      await forget();
      setNews({ text: messages.memory.forgotten });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={stackClass}>
      <p className={styles.explanation}>
        Quando la redazione sposta una segnalazione in un altro reparto, le copie quasi uguali che arrivano
        dopo vanno nello stesso reparto.
        {smart
          ? null
          : ' Adesso i reparti non si scelgono con l’analisi del contenuto: servirà se la riattivi.'}
      </p>
      <p>{countOf(moves)}</p>
      {failure ? (
        <Message kind="error" title={messages.memory.failed} onDismiss={() => setFailure(null)}>
          <FaultText error={failure} />
        </Message>
      ) : null}
      <div>
        <Button variant="danger" inactive={busy || moves === 0} onClick={() => setAsking(true)}>
          Dimentica
        </Button>
      </div>
      <StatusMessage message={news} onDone={() => setNews(null)} />
      <Confirm
        open={asking}
        title="Dimentica gli spostamenti"
        confirmLabel="Dimentica"
        onCancel={() => setAsking(false)}
        onConfirm={() => void run()}
      >
        <p>{messages.memory.question}</p>
      </Confirm>
    </div>
  );
}
