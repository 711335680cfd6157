import { useEffect, useId } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import type { ReportList } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Row, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Failure } from '../common/action';
import { readTrail } from '../common/paths';
import { useToast } from '../common/toast';
import type { Exporter } from './use-export';

/** Says, once, what became of a report that is not here to be seen: erased on the page that led here, or on another desk. */
export function ErasureNews() {
  const { state, search } = useLocation();
  const navigate = useNavigate();
  const { erased, away } = readTrail(state);
  const { show } = useToast();
  useEffect(() => {
    if (away || erased !== undefined) {
      const gone = erased === 1 ? 'Segnalazione cancellata' : `${erased} segnalazioni cancellate`;
      show({ text: away ? 'Segnalazione salvata: è di un reparto che non vedi' : gone });
      // A reload must not say it again.
      navigate({ search }, { replace: true, state: null });
    }
  }, [erased, away, search, navigate, show]);
  return null;
}

/** While the search cannot know everything yet, it says so: reports may be missing from what it finds. */
export function IndexProgress({ search }: { search: ReportList['search'] }) {
  const id = useId();
  const { total } = search;
  const indexed = Math.min(search.indexed, total);
  return (
    <Message kind="info">
      <p role="status">
        Ricerca in preparazione: per ora trova solo una parte delle segnalazioni, a partire dalle più recenti.
        L’elenco si completa da solo.
      </p>
      <Text tone="muted" small id={id}>
        {formatNumber(indexed)} di {formatNumber(total)} segnalazioni pronte
      </Text>
      <progress aria-labelledby={id} max={Math.max(total, 1)} value={indexed} />
    </Message>
  );
}

export function ExportStatus({ exporter }: { exporter: Exporter }) {
  const { busy, progress, cancel } = exporter;
  return (
    <>
      {busy ? (
        <Row>
          <p className="visually-hidden" role="status">
            Esportazione in corso…
          </p>
          <progress
            aria-label="Esportazione CSV"
            {...(progress ? { max: Math.max(progress.total, 1), value: progress.rows } : {})}
          />
          <Text as="span" tone="muted" small digits>
            {progress
              ? `${formatNumber(progress.rows)} di ${formatNumber(progress.total)} segnalazioni`
              : 'Preparazione dell’esportazione…'}
          </Text>
          <Button onClick={cancel}>Annulla</Button>
        </Row>
      ) : null}
      <Failure of={exporter} title="Esportazione non riuscita" />
    </>
  );
}
