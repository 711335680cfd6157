import { formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Row, Text } from '../../shared/ui/layout';
import { ActionNews } from '../common/action-news';
import type { Exporter } from './use-export';

/** How an export goes, and how it ended. */
export function ExportStatus({ exporter }: { exporter: Exporter }) {
  return (
    <>
      {exporter.busy ? <Progress exporter={exporter} /> : null}
      <ActionNews action={exporter} failed="Esportazione non riuscita" />
    </>
  );
}

function Progress({ exporter: { progress, cancel } }: { exporter: Exporter }) {
  return (
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
  );
}
