/** The end of a conversation, with a report or without one. Takes the focus, since the box is gone. */
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Boot } from '../../shared/lib/boot';
import { now } from '../../shared/lib/clock';
import { DAY_MS, dayOf, formatDay, instantAt } from '../../shared/lib/dates';
import { Act } from '../act';
import { leaveFiles } from '../attach/files';
import { Close } from '../close';
import { FOLLOW, Keep } from '../receipt/receipt';
import { Sheet } from '../sheet';
import type { Conversation } from './conversation';
import styles from './end.module.css';
import { Numbers } from './pin';

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
function dayIn(days: number): string {
  return formatDay(new Date(Date.parse(instantAt(dayOf(now()), 12)) + days * DAY_MS).toISOString());
}

/** The newsroom's promises, with their days; absent where there are none. */
function Promises({ boot }: { boot: Boot }) {
  const { firstDays = 0, outcomeDays = 0 } = boot.promises ?? {};
  const [first] = useState(() => dayIn(firstDays));
  const [outcome] = useState(() => dayIn(outcomeDays));
  return (
    <p className={styles.lead}>
      {firstDays > 0 && (
        <span>
          La leggiamo entro <b>{first}</b>.{' '}
        </span>
      )}
      {outcomeDays > 0 && (
        <span>
          Ti diremo com’è andata entro <b>{outcome}</b>.
        </span>
      )}
    </p>
  );
}

/** The last words, which begin with what happened: that is the title. */
function partsOf(farewell: string): readonly [string, string] {
  const [, title = farewell, rest = ''] = /^(.{1,120}?[.!]) (.*)$/s.exec(farewell) ?? [];
  return [title || 'È arrivata alla redazione.', rest];
}

/** Said of what nobody receives. */
const TRIED = [
  'Era una prova: nulla è stato conservato.',
  'Nella modalità demo nessuno legge quello che scrivi. Il codice serve solo a provare come si torna.',
] as const;

type Props = { state: Conversation; boot: Boot; onRestart: () => void };

export function End({ state: { farewell, receipt, unreachable, helped }, boot, onRestart }: Props) {
  const sentence = useEnd(true);
  const tried = boot.status.database === 'demo';
  const [title, rest] = tried ? TRIED : partsOf(farewell);
  return (
    <>
      <section
        className={`centred ${styles.end}`}
        aria-labelledby="end-title"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
        tabIndex={0}
      >
        {helped && (
          <div role="note">
            <p className={styles.lead}>
              <b>
                Se c’è un pericolo adesso, chiama il <a href="tel:112">112</a>.
              </b>{' '}
              Questa chat non viene letta subito.
            </p>
            <Numbers />
          </div>
        )}
        <h2 id="end-title">{title}</h2>
        <p className={styles.lead}>{rest}</p>
        {/* A callout has thanked in its own words. */}
        {!tried && !helped && !boot.callout && <Promises boot={boot} />}
        {receipt !== '' && (
          <section aria-label="Ricevuta">
            <p className={styles.code}>
              <span>Il tuo codice</span>
              <samp translate="no">{receipt}</samp>
            </p>
            <p>
              Con il codice vedi a che punto è, leggi le nostre risposte e aggiungi file. Salvalo adesso: se
              lo perdi non possiamo ridartelo. Non darlo a nessuno.
            </p>
            {unreachable && (
              <p className={styles.only}>Non hai lasciato recapiti: senza codice non possiamo risponderti.</p>
            )}
          </section>
        )}
      </section>
      <div className={styles.foot}>
        <p ref={sentence} tabIndex={-1} className={styles.closing}>
          Conversazione completata. Grazie per la tua segnalazione.
        </p>
        {receipt !== '' && (
          <>
            <Act className={styles.keep} main popoverTarget="keep">
              Salva il codice
            </Act>
            <Sheet id="keep" label="Salva il codice">
              <Close sheet="keep" />
              <h2>Salva il codice</h2>
              <Keep code={receipt} />
            </Sheet>
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

type ClosingProps = {
  /** Takes the answer back that ended it. */
  onUndo?: () => void;
  /** It was ended by an age. */
  minor: boolean;
};

export function Closing({ onUndo, minor }: ClosingProps) {
  const sentence = useEnd(false);
  return (
    <>
      <p ref={sentence} tabIndex={-1}>
        Conversazione terminata. In questo browser non resta nulla di ciò che hai scritto.
      </p>
      {onUndo && (
        <Act className={styles.undo} onClick={onUndo}>
          {minor ? 'Ho sbagliato: sono maggiorenne' : 'Correggi l’ultima risposta'}
        </Act>
      )}
    </>
  );
}
