/** The end of a conversation, with a report or without one. Takes the focus, since the box is gone. */
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Boot } from '../../shared/lib/boot';
import { now } from '../../shared/lib/clock';
import { dayOf } from '../../shared/lib/dates';
import { Act } from '../act';
import { leaveFiles } from '../attach/files';
import { Close } from '../close';
import { FOLLOW, Keep } from '../receipt/receipt';
import type { Conversation } from './conversation';
import styles from './end.module.css';

/** The files go with the report; without one there is nothing for them to go with. */
function useEnd(filed: boolean): RefObject<HTMLParagraphElement | null> {
  const sentence = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    leaveFiles(!filed);
    sentence.current?.focus({ preventScroll: true });
  }, [filed]);
  return sentence;
}

/** The day so many days from now, where the newsroom is. */
function dayIn(days: number, format: Intl.DateTimeFormatOptions): string {
  const day = new Date(`${dayOf(now())}T00:00Z`);
  day.setUTCDate(day.getUTCDate() + days);
  return day.toLocaleDateString('it-IT', { ...format, timeZone: 'UTC' });
}

const DAY = { day: 'numeric', month: 'long' } as const;

/** What the newsroom promises, with the days that this means; nothing where it promises nothing. */
function Promises({ boot }: { boot: Boot }) {
  const { firstDays = 0, outcomeDays = 0 } = boot.promises ?? {};
  const [first] = useState(() => dayIn(firstDays, { ...DAY, weekday: 'long' }));
  const [outcome] = useState(() => dayIn(outcomeDays, DAY));
  return (
    <p className={styles.lead}>
      {firstDays > 0 && (
        <>
          La leggiamo entro <b>{first}</b>.{' '}
        </>
      )}
      {outcomeDays > 0 && (
        <>
          Come è andata lo saprai entro il <b>{outcome}</b>.
        </>
      )}
    </p>
  );
}

type Props = { state: Conversation; boot: Boot; onRestart: () => void };

export function End({ state: { farewell, receipt }, boot, onRestart }: Props) {
  const sentence = useEnd(true);
  return (
    <>
      <section
        className={`centred ${styles.end}`}
        aria-labelledby="end-title"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
        tabIndex={0}
      >
        <p ref={sentence} tabIndex={-1} className={styles.closing}>
          Conversazione completata. Grazie per la tua segnalazione.
        </p>
        <h2 id="end-title">È arrivata in redazione.</h2>
        <p className={styles.lead}>{farewell}</p>
        <Promises boot={boot} />
        {receipt !== '' && (
          <section aria-label="Ricevuta">
            <p className={styles.code}>
              <span>Il tuo codice</span>
              <samp>{receipt}</samp>
            </p>
            <p>
              Con il codice vedi a che punto è, leggi le nostre risposte e aggiungi file. Compare solo adesso:
              se lo perdi non possiamo ridartelo. Non darlo a nessuno.
            </p>
          </section>
        )}
      </section>
      <div className={styles.foot}>
        {receipt !== '' && (
          <>
            <Act className={styles.keep} main popoverTarget="keep">
              Salva il codice
            </Act>
            <div id="keep" popover="auto" className="sheet" role="dialog" aria-label="Salva il codice">
              <Close sheet="keep" />
              <h2>Salva il codice</h2>
              <Keep code={receipt} />
            </div>
          </>
        )}
        <div className={styles.ways}>
          {/* That page goes into no frame: there it would take the place of the code and show nothing. */}
          {receipt !== '' && (
            <a
              className="button"
              data-quiet=""
              href={FOLLOW}
              target={window.parent === window ? undefined : '_blank'}
            >
              Segui la segnalazione
            </a>
          )}
          <Act quiet onClick={onRestart}>
            Nuova segnalazione
          </Act>
        </div>
      </div>
    </>
  );
}

export function Closing() {
  const sentence = useEnd(false);
  return (
    <p ref={sentence} tabIndex={-1}>
      Conversazione terminata. In questo browser non resta nulla di ciò che hai scritto.
    </p>
  );
}
