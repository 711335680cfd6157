import { formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Row, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { StatusMessage } from '../../shared/ui/status-message';
import { FaultText } from '../common/error-card';
import { IncompleteExport } from './export-stream';
import type { Exporter } from './use-export';

/** How an export goes, and how it ended. */
export function ExportStatus({ exporter }: { exporter: Exporter }) {
  const { progress, failure, news } = exporter;
  return (
    <>
      {progress ? <Progress progress={progress} onCancel={exporter.cancel} /> : null}
      {failure ? (
        <Message kind="error" title="Esportazione non riuscita" onDismiss={exporter.dismissFailure}>
          {failure instanceof IncompleteExport ? (
            <p>Il file è arrivato incompleto e non è stato salvato. Riprova.</p>
          ) : (
            <FaultText error={failure} />
          )}
        </Message>
      ) : null}
      <StatusMessage message={news} onDone={exporter.dismissNews} />
    </>
  );
}

interface ProgressProps {
  progress: NonNullable<Exporter['progress']>;
  onCancel: () => void;
}

function Progress({ progress, onCancel }: ProgressProps) {
  const counted = progress === 'starting' ? null : progress;
  return (
    <Row>
      <p className="visually-hidden" role="status">
        Esportazione in corso…
      </p>
      <progress
        aria-label="Esportazione CSV"
        {...(counted ? { max: Math.max(counted.total, 1), value: counted.rows } : {})}
      />
      <Text as="span" tone="muted" small digits>
        {counted
          ? `${formatNumber(counted.rows)} di ${formatNumber(counted.total)} segnalazioni`
          : 'Preparazione dell’esportazione…'}
      </Text>
      <Button onClick={onCancel}>Annulla</Button>
    </Row>
  );
}
