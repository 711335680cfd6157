import type { ReactNode } from 'react';
import type { Delivery } from '../../../shared/api/schema';
import { formatDateTime } from '../../../shared/lib/dates';
import { Badge, type BadgeTone } from '../../../shared/ui/badge';
import { Button } from '../../../shared/ui/button';
import { Spinner } from '../../../shared/ui/spinner';
import { VisuallyHidden } from '../../../shared/ui/visually-hidden';
import styles from './delivery-entry.module.css';
import type { Retry } from './queries';

const KINDS: Readonly<Record<Delivery['tipo'], string>> = { email: 'Email', webhook: 'Webhook' };

const STATES: Readonly<Record<Delivery['stato'], { label: string; tone: BadgeTone }>> = {
  'in attesa': { label: 'In attesa', tone: 'yellow' },
  consegnata: { label: 'Consegnata', tone: 'green' },
  fallita: { label: 'Fallita', tone: 'red' },
};

interface DeliveryEntryProps {
  delivery: Delivery;
  retry: Retry;
  /** Which report it tells of, where that is not plain. */
  report?: ReactNode;
}

/** One delivery: where it goes, what became of it, and another try where there is something to try. */
export function DeliveryEntry({ delivery, retry, report }: DeliveryEntryProps) {
  const { id, tipo, destinatario, stato, tentativi, ultimoErrore, creata } = delivery;
  const troubled = stato !== 'consegnata' && ultimoErrore !== null;
  const busy = retry.busy === id;
  return (
    <div className={styles.entry}>
      <div className={styles.head}>
        <Badge tone={STATES[stato].tone}>{STATES[stato].label}</Badge>
        <p className={styles.to}>
          <span className={styles.kind}>{KINDS[tipo]}</span> a {destinatario}
        </p>
      </div>
      <p className={styles.facts}>
        {report ? <>{report} · </> : null}
        <time dateTime={creata}>{formatDateTime(creata)}</time>
        {tentativi > 0 ? ` · ${tentativi === 1 ? '1 tentativo' : `${tentativi} tentativi`}` : ''}
        <Next delivery={delivery} />
      </p>
      {troubled ? <p className={styles.error}>{ultimoErrore}</p> : null}
      {troubled || stato === 'fallita' ? (
        <Button
          inactive={retry.busy !== null}
          icon={busy ? <Spinner /> : undefined}
          onClick={() => retry.one(id)}
        >
          {busy ? 'Attendi…' : 'Riprova'}
          <VisuallyHidden>
            {' '}
            {KINDS[tipo]} a {destinatario}
          </VisuallyHidden>
        </Button>
      ) : null}
    </div>
  );
}

function Next({ delivery: { stato, prossimoTentativo, conclusa } }: { delivery: Delivery }) {
  if (stato === 'in attesa' && prossimoTentativo !== null) {
    const due = Date.parse(prossimoTentativo) <= Date.now();
    return due ? (
      ' · in partenza'
    ) : (
      <>
        {' · prossimo tentativo '}
        <time dateTime={prossimoTentativo}>{formatDateTime(prossimoTentativo)}</time>
      </>
    );
  }
  return conclusa === null ? null : (
    <>
      {stato === 'consegnata' ? ' · arrivata ' : ' · rinuncia '}
      <time dateTime={conclusa}>{formatDateTime(conclusa)}</time>
    </>
  );
}
