/** Reports that wait in this browser, and what became of them. Must always say plainly whether the newsroom has one. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { formatDateTime } from '../../shared/lib/dates';
import styles from './kept-notices.module.css';
import type { Delivery } from './use-outbox';

type Actions = {
  onHurry: (id: number) => void;
  onRemove: (id: number) => void;
  onResume: (item: Delivery) => void;
};
type Props = Actions & {
  deliveries: readonly Delivery[];
  /** The report of the conversation on the screen. */
  ownId: number | null;
  /** Whether the conversation on the screen may be replaced. */
  canResume: boolean;
};

const TITLES: Record<Delivery['state'], string> = {
  waiting: 'Segnalazione non ancora inviata',
  sending: 'Invio della segnalazione in corso…',
  sent: 'Segnalazione inviata',
  refused: 'Manca ancora una risposta',
  failed: 'Segnalazione non inviata',
  gone: 'Segnalazione non più in questo browser',
};

function bodyOf({ state, report, reply, reason }: Delivery): string {
  const date = formatDateTime(report.timestamp);
  switch (state) {
    case 'waiting':
    case 'sending':
      return 'In questo momento la redazione non può riceverla. È conservata in questo browser e partirà da sola appena sarà possibile: non serve riscriverla. Lascia aperta la pagina, oppure riaprila più tardi da questo dispositivo.';
    case 'sent':
      return `La segnalazione del ${date} è arrivata alla redazione. La copia in questo browser è stata eliminata.`;
    case 'refused':
      return reply?.messages.map((message) => message.text).join(' ') ?? '';
    case 'failed':
      return `${reason ?? ''} Il testo resta in questo browser: copialo prima di eliminarlo.`;
    case 'gone':
      return `La segnalazione del ${date} è stata inviata o eliminata da un’altra scheda.`;
  }
}

function Removal({ onRemove }: { onRemove: () => void }) {
  const [asking, setAsking] = useState(false);
  if (!asking) {
    return (
      <button type="button" className={styles.quiet} onClick={() => setAsking(true)}>
        Elimina da questo browser
      </button>
    );
  }
  return (
    <>
      <span className={styles.question}>La segnalazione andrà persa. Eliminarla?</span>
      <button type="button" className={styles.quiet} onClick={() => setAsking(false)}>
        Annulla
      </button>
      <button type="button" className={styles.danger} onClick={onRemove}>
        Elimina
      </button>
    </>
  );
}

function KeptText({ item }: { item: Delivery }) {
  return (
    <details className={styles.details}>
      <summary>Mostra il testo</summary>
      <p className={styles.report}>{item.report.report}</p>
    </details>
  );
}

function actionsOf(item: Delivery, canResume: boolean, actions: Actions): ReactNode {
  const { id } = item.report;
  if (item.state === 'sent' || item.state === 'gone' || item.state === 'sending') {
    return null;
  }
  return (
    <div className={styles.actions}>
      {item.state === 'waiting' && (
        <button type="button" className={styles.button} onClick={() => actions.onHurry(id)}>
          Invia ora
        </button>
      )}
      {item.state === 'refused' && canResume && (
        <button type="button" className={styles.button} onClick={() => actions.onResume(item)}>
          Riprendi la conversazione
        </button>
      )}
      <Removal onRemove={() => actions.onRemove(id)} />
    </div>
  );
}

function Notice({
  item,
  own,
  canResume,
  ...actions
}: Actions & { item: Delivery; own: boolean; canResume: boolean }) {
  const title = useRef<HTMLHeadingElement>(null);

  useEffect(() => {
    if (own) {
      title.current?.focus({ preventScroll: true });
    }
  }, [own]);

  return (
    <section className={styles.notice} data-state={item.state}>
      <h2 ref={title} tabIndex={-1} className={styles.title}>
        {TITLES[item.state]}
      </h2>
      <p>{bodyOf(item)}</p>
      {item.state === 'failed' && <KeptText item={item} />}
      {actionsOf(item, canResume, actions)}
    </section>
  );
}

export function KeptNotices({ deliveries, ownId, ...rest }: Props) {
  const outcomes = deliveries.filter((item) => item.state !== 'waiting' && item.state !== 'sending');
  return (
    <>
      {deliveries.map((item) => (
        <Notice key={item.report.id} item={item} own={item.report.id === ownId} {...rest} />
      ))}
      <p className="visually-hidden" role="status">
        {outcomes.map((item) => `${TITLES[item.state]}. ${bodyOf(item)}`).join(' ')}
      </p>
    </>
  );
}
