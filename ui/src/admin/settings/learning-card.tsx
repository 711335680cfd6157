import { useState } from 'react';
import type { LearningAttempt, RoutingModel } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Confirm } from '../../shared/ui/confirm';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { StatusMessage } from '../../shared/ui/status-message';
import { Switch } from '../../shared/ui/switch';
import { ErrorCard, FaultText } from '../common/error-card';
import { Loading } from '../common/loading';
import styles from './learning-card.module.css';
import { messages } from './messages';
import { useRoutingModel, useTakeBack } from './queries';
import { stackClass } from './settings-page';

/** What routing has learnt from reports that staff moved, and the ways to take it back. */
export function Learning({ smart }: { smart: boolean }) {
  const model = useRoutingModel();
  if (model.data) {
    return <Learnt model={model.data} smart={smart} />;
  }
  return model.isError ? (
    <ErrorCard
      title="Non è stato possibile caricare quello che lo smistamento ha imparato"
      error={model.error}
      onRetry={() => void model.refetch()}
    />
  ) : (
    <Loading label="Caricamento di quello che lo smistamento ha imparato…">
      <Skeleton lines={4} tall />
    </Loading>
  );
}

/** 'da una segnalazione spostata', 'da 12 segnalazioni spostate'. */
function fromMoved(count: number): string {
  return count === 1 ? 'da una segnalazione spostata' : `da ${formatNumber(count)} segnalazioni spostate`;
}

function inForce({ versions }: RoutingModel): string {
  const [newest] = versions;
  if (!newest) {
    return 'Niente: vale solo quello che il programma sa dall’inizio';
  }
  return newest.corrections === 0
    ? `Niente, dal ${formatDateTime(newest.made)}: le segnalazioni spostate sono tornate al loro posto`
    : `${formatDateTime(newest.made)}, ${fromMoved(newest.corrections)}`;
}

/** The guard's figures, in plain words. */
function comparisonOf({ tested, right, bundled }: LearningAttempt): string {
  const [of, now, before] = [tested, right, bundled].map(formatNumber);
  return `su ${of} segnalazioni di prova ne mandava al reparto giusto ${before}; con quanto imparato, ${now}.`;
}

function Learnt({ model, smart }: { model: RoutingModel; smart: boolean }) {
  const { corrections, due, last, versions } = model;
  return (
    <div className={stackClass}>
      <p className={styles.explanation}>
        Quando la redazione sposta una segnalazione in un altro reparto, l’analisi del contenuto se ne ricorda
        per quelle simili: ricorda le scelte di questa redazione, non diventa più brava in generale. Impara
        qui sul server, entro un minuto dallo spostamento.
      </p>
      {smart ? null : (
        <p className={styles.explanation}>
          Adesso i reparti non si scelgono con l’analisi del contenuto: quello che impara servirà se la
          riattivi.
        </p>
      )}
      <dl className={styles.facts}>
        <Fact name="Segnalazioni spostate che contano" value={formatNumber(corrections)} />
        <Fact name="Imparato" value={inForce(model)} />
        <Fact name="Versioni conservate" value={formatNumber(versions.length)} />
      </dl>
      <div role="status" className={styles.news}>
        {due ? <p>Ci sono spostamenti da imparare: succede da solo, entro un minuto.</p> : null}
      </div>
      {last?.kept ? <p className={styles.explanation}>Ultimo controllo: {comparisonOf(last)}</p> : null}
      {last && !last.kept ? (
        <Message kind="warning" title="L’ultimo apprendimento non è stato adottato">
          <p>
            Il {formatDateTime(last.at)}, {fromMoved(last.corrections)}: {comparisonOf(last)} La differenza è
            troppa: lo smistamento resta com’era. Succede quando molte segnalazioni diverse vengono spostate
            nello stesso reparto.
          </p>
        </Message>
      ) : null}
      <TakeBack model={model} />
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

type Asked = 'undo' | 'reset';

function TakeBack({ model }: { model: RoutingModel }) {
  const { undo, reset } = useTakeBack();
  const [asking, setAsking] = useState<Asked | null>(null);
  const [forget, setForget] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [news, setNews] = useState<{ text: string } | null>(null);

  const run = async (work: () => Promise<unknown>, done: string) => {
    setAsking(null);
    setBusy(true);
    setFailure(null);
    try {
      await work();
      setNews({ text: done });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const { active } = model;
  const nothing = active === null && model.corrections === 0;
  if (nothing && !news && !failure) {
    return null;
  }
  return (
    <>
      {failure ? (
        <Message kind="error" title={messages.learning.failed} onDismiss={() => setFailure(null)}>
          <FaultText error={failure} />
        </Message>
      ) : null}
      <div className={styles.actions}>
        <Button inactive={busy || active === null} onClick={() => setAsking('undo')}>
          Annulla ultimo apprendimento
        </Button>
        <Button
          variant="danger"
          inactive={busy || nothing}
          onClick={() => {
            setForget(false);
            setAsking('reset');
          }}
        >
          Ripristina
        </Button>
      </div>
      <StatusMessage message={news} onDone={() => setNews(null)} />
      <Confirm
        open={asking === 'undo'}
        title="Annulla ultimo apprendimento"
        confirmLabel="Annulla apprendimento"
        cancelLabel="Lascia com’è"
        onCancel={() => setAsking(null)}
        onConfirm={() => void run(() => undo(active), messages.learning.undone)}
      >
        <p>{messages.learning.undoQuestion}</p>
      </Confirm>
      <Confirm
        open={asking === 'reset'}
        title="Ripristina lo smistamento"
        confirmLabel="Ripristina"
        onCancel={() => setAsking(null)}
        onConfirm={() => void run(() => reset(forget), messages.learning.reset)}
      >
        <p>{messages.learning.resetQuestion}</p>
        <Switch
          label="Dimentica anche le segnalazioni spostate"
          hint="Altrimenti contano di nuovo al prossimo spostamento."
          checked={forget}
          onChange={setForget}
        />
      </Confirm>
    </>
  );
}
