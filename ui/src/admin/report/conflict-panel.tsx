import { useEffect, useId, useRef } from 'react';
import type { ReportDetail } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Badge } from '../../shared/ui/badge';
import { Button } from '../../shared/ui/button';
import { Stack, Text } from '../../shared/ui/layout';
import { deskName } from '../common/departments';
import { toneOf } from '../common/stato';
import styles from './report.module.css';
import { type Values, valuesOf } from './use-report-form';

interface ConflictPanelProps {
  /** The report as another person saved it. */
  current: ReportDetail;
  typed: Values;
  busy: boolean;
  onKeepMine: () => void;
  onUseSaved: () => void;
}

/** A save was refused because somebody else saved first: both versions side by side, and the choice between them. */
export function ConflictPanel({ current, typed, busy, onKeepMine, onUseSaved }: ConflictPanelProps) {
  const id = useId();
  const ref = useRef<HTMLElement>(null);
  // The save was the editor's own gesture, so the focus may follow its result.
  useEffect(() => {
    ref.current?.focus({ preventScroll: true });
    ref.current?.scrollIntoView({ block: 'nearest' });
  }, []);

  return (
    <Stack
      as="section"
      gap={4}
      className={styles.conflict}
      ref={ref}
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
    >
      <div role="alert">
        <h3 id={`${id}-title`}>Un’altra persona ha salvato prima di te</h3>
        <p>
          Il {formatDateTime(current.data_aggiornamento)} questa segnalazione è stata modificata. Nulla di ciò
          che hai scritto è andato perso: scegli come continuare.
        </p>
      </div>
      <Stack className={styles.versions}>
        <Version title="Versione salvata" values={valuesOf(current)} other={typed} />
        <Version title="Le tue modifiche" values={typed} other={valuesOf(current)} />
      </Stack>
      <Stack gap={2}>
        <Button variant="primary" inactive={busy} onClick={onKeepMine}>
          Mantieni le mie modifiche
        </Button>
        <Button inactive={busy} onClick={onUseSaved}>
          Usa la versione salvata
        </Button>
      </Stack>
    </Stack>
  );
}

function Version({ title, values, other }: { title: string; values: Values; other: Values }) {
  return (
    <div className={styles.version}>
      <h4>{title}</h4>
      <Stack as="dl" gap={2}>
        <div data-differs={values.stato !== other.stato || undefined}>
          <dt>Stato</dt>
          <dd>
            <Badge tone={toneOf(values.stato)}>{values.stato}</Badge>
          </dd>
        </div>
        <div data-differs={values.department !== other.department || undefined}>
          <dt>Reparto</dt>
          <dd>{deskName(values.department)}</dd>
        </div>
        <div data-differs={values.note !== other.note || undefined}>
          <dt>Note Interne</dt>
          <Text as="dd" kept className={styles.note}>
            {values.note || <em>Nessuna nota</em>}
          </Text>
        </div>
      </Stack>
    </div>
  );
}
