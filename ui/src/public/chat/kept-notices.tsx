/** Reports that wait in this browser, what became of them, and the receipt. Must always say plainly whether the newsroom has one. */
import { type Dispatch, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { formatDateTime } from '../../shared/lib/dates';
import { Act } from '../act';
import { Receipt } from '../receipt/receipt';
import type { Event } from './conversation';
import styles from './kept-notices.module.css';
import { type Delivery, useOutbox } from './use-outbox';

export type KeptNoticesProps = {
  reachable: boolean;
  ownId: number | null;
  receipt: string;
  /** The callout whose page this is. */
  callout: string | undefined;
  canResume: boolean;
  dispatch: Dispatch<Event>;
};

const TITLES: Record<Shown['state'], string> = {
  waiting: 'Segnalazione non ancora inviata',
  sending: 'Invio della segnalazione in corso…',
  sent: 'Segnalazione inviata',
  refused: 'Manca ancora una risposta',
  lacking: 'Un file non c’è più: la segnalazione non è partita',
  failed: 'Segnalazione non inviata',
};

/** The notices that still apply: one that is gone was shown in another tab. */
type Shown = Omit<Delivery, 'state'> & { state: Exclude<Delivery['state'], 'gone'> };

function bodyOf({ state, report, reply, reason }: Shown): string {
  switch (state) {
    case 'waiting':
    case 'sending':
      return 'In questo momento la redazione non può riceverla: la tua segnalazione è conservata in questo browser e partirà da sola appena possibile. Non serve riscriverla. Lascia aperta questa pagina, oppure riaprila più tardi dallo stesso dispositivo.';
    case 'sent':
      return `La segnalazione del ${formatDateTime(report.timestamp)} è arrivata alla redazione. La copia in questo browser è stata eliminata.`;
    case 'refused':
      return reply?.messages.map((message) => message.text).join(' ') ?? '';
    case 'lacking':
      return `${reason ?? ''} Puoi inviarla con quello che resta: poi, con il codice che ricevi, alleghi il file.`;
    case 'failed':
      return `${reason ?? ''} Il testo resta in questo browser: copialo prima di eliminarlo.`;
  }
}

function Removal({ onRemove }: { onRemove: () => void }) {
  const [asking, setAsking] = useState(false);
  if (!asking) {
    return (
      <Act quiet onClick={() => setAsking(true)}>
        Elimina da questo browser
      </Act>
    );
  }
  return (
    <>
      <span className={styles.question}>La segnalazione andrà persa. Eliminarla?</span>
      <Act quiet onClick={() => setAsking(false)}>
        Annulla
      </Act>
      <Act onClick={onRemove}>Elimina</Act>
    </>
  );
}

function Notice({ item, own, children }: { item: Shown; own: boolean; children: ReactNode }) {
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
      {item.state === 'failed' && (
        <details>
          <summary>Mostra il testo</summary>
          <p className={styles.report}>{item.report.report}</p>
        </details>
      )}
      {children}
    </section>
  );
}

/** The code of a report that left later; that of the conversation on the screen is shown by itself. */
function codeOf({ state, reply }: Shown): string {
  return state === 'sent' ? (reply?.receipt ?? '') : '';
}

export function KeptNotices(props: KeptNoticesProps) {
  const { reachable, ownId, receipt, callout, canResume, dispatch } = props;
  const { deliveries, hurry, sendWithout, remove } = useOutbox(reachable, ownId);
  const own = deliveries.find((item) => item.report.id === ownId);

  const resume = useCallback(
    ({ key, report, reply }: Delivery) => {
      if (reply !== undefined) {
        dispatch({ type: 'reopened', reply, text: report.text, answers: report.answers });
        remove(key);
      }
    },
    [dispatch, remove],
  );

  useEffect(() => {
    if (own?.state === 'sent') {
      dispatch({ type: 'settled', phase: 'done', reply: own.reply });
    } else if (own?.state === 'gone') {
      dispatch({ type: 'settled', phase: 'ended' });
    } else if (own?.state === 'refused') {
      resume(own);
    }
  }, [own, dispatch, resume]);

  const discard = (key: string) => {
    remove(key);
    if (key === own?.key) {
      dispatch({ type: 'settled', phase: 'ended' });
    }
  };

  const shown = deliveries.filter(
    // The end screen tells of the report on screen.
    (item): item is Shown => item.state !== 'gone' && !(item === own && item.state === 'sent'),
  );
  const outcomes = shown.filter((item) => item.state !== 'waiting' && item.state !== 'sending');
  return (
    // Where they are long they are scrolled, also by keyboard.
    <div className={styles.notices} {...(shown.length > 0 && { tabIndex: 0 })}>
      {shown.map((item) => (
        <Notice key={item.key} item={item} own={item === own}>
          {codeOf(item) && codeOf(item) !== receipt && <Receipt code={codeOf(item)} />}
          {item.state !== 'sent' && item.state !== 'sending' && (
            <div className={styles.actions}>
              {item.state === 'waiting' && <Act onClick={() => hurry(item.key)}>Invia ora</Act>}
              {item.state === 'lacking' && (
                <Act onClick={() => sendWithout(item.key)}>Invia con quello che resta</Act>
              )}
              {item.state === 'refused' &&
                (item.report.callout !== callout ? (
                  <a
                    className="button"
                    href={`${import.meta.env.BASE_URL}${item.report.callout ? `i/${item.report.callout}` : ''}`}
                    target={window.parent === window ? undefined : '_blank'}
                  >
                    Riprendi la conversazione
                  </a>
                ) : (
                  canResume && <Act onClick={() => resume(item)}>Riprendi la conversazione</Act>
                ))}
              <Removal onRemove={() => discard(item.key)} />
            </div>
          )}
        </Notice>
      ))}
      <p className="visually-hidden" role="status">
        {outcomes.map((item) => `${TITLES[item.state]}. ${bodyOf(item)}`).join(' ')}
      </p>
    </div>
  );
}
