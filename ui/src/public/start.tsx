/** The page before the first question: who reads, what is asked, what comes after, and whom to call in danger. */
import { useEffect, useRef } from 'react';
import type { Boot } from '../shared/lib/boot';
import { Act } from './act';
import styles from './start.module.css';

/** The address of the questions without a script. */
const FORM = `${import.meta.env.BASE_URL}modulo`;

type Props = {
  boot: Boot;
  organization: string;
  /** Why the conversation cannot be begun; empty where it can. */
  closed: string;
  onStart: () => void;
};

/** A style hides an empty element and shows the one beside it: the prerendered page cannot know whose page it is. */
export function Start({ boot, organization, closed, onStart }: Props) {
  const { callout } = boot;
  const soon = useRef<HTMLParagraphElement>(null);
  const reason = useRef<HTMLParagraphElement>(null);
  // It was open when the page came, and the answer that was given is in no box any more.
  const shut = closed !== (callout?.closedText ?? '');
  useEffect(() => {
    if (shut) {
      reason.current?.focus();
    }
  }, [shut]);

  // Pressed before this script arrived: the browser has shown that by itself.
  useEffect(() => {
    if (soon.current?.matches(':popover-open')) {
      onStart();
    }
  }, [onStart]);

  return (
    <div className={styles.start}>
      <section
        className={`centred ${styles.facts}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
        tabIndex={0}
        aria-labelledby="start-title"
      >
        <h2 id="start-title">
          <span className={styles.own}>{callout?.title ?? ''}</span>
          <span className={styles.usual}>Racconta alla redazione che cosa sta succedendo.</span>
        </h2>
        <p className={styles.intro}>{callout?.intro ?? ''}</p>
        <p ref={reason} tabIndex={-1} className={styles.closed}>
          {closed}
        </p>
        <a
          className={`button ${styles.general}`}
          href={import.meta.env.BASE_URL}
          onClick={({ currentTarget }) => {
            // In a frame of another site that page is not shown.
            currentTarget.target = window.parent === window ? '' : '_blank';
          }}
        >
          Vai alla chat della redazione
        </a>
        <ul>
          <li>
            <b>Chi legge</b> <span>{`Le giornaliste e i giornalisti di ${organization}.`}</span>
          </li>
          <li className={styles.usual}>
            <b>Che cosa chiediamo</b> Età e recapiti, per richiamarti. Poi il racconto.
          </li>
          {/* Both are there in any case, hidden by style: the prerendered page cannot know what the newsroom offers. */}
          <li data-files={boot.attachments?.perReport ?? 0}>
            <b>Che cosa puoi mandare</b> Foto, video e vocali sono benvenuti.
          </li>
          <li data-receipts={boot.receipts ?? false}>
            <b>Che cosa succede dopo</b> Alla fine ricevi un codice per seguire la segnalazione.
          </li>
        </ul>
      </section>
      <div className={styles.foot}>
        <p className={styles.danger}>
          <b>
            In pericolo adesso? Chiama il <a href="tel:112">112</a>:
          </b>{' '}
          questa chat non viene letta subito.
        </p>
        <Act
          className={styles.begin}
          main
          popoverTarget="soon"
          onClick={(event) => {
            event.preventDefault();
            onStart();
          }}
        >
          Inizia <span className={`${styles.minutes} ${styles.usual}`}>circa 5 minuti</span>
        </Act>
        {/* Out of a frame: those pages go into none. */}
        <noscript>
          <form className={styles.plain} method="post" action={FORM} target="_top">
            <input type="hidden" name="callout" value={callout?.slug ?? ''} />
            <label htmlFor="plain-age">La tua età</label>
            <input id="plain-age" name="text" inputMode="numeric" autoComplete="off" />
            <button type="submit" className="button" data-main="">
              Inizia
            </button>
          </form>
        </noscript>
        <p className={styles.legal}>
          I tuoi dati servono solo a questo.{' '}
          <Act quiet popoverTarget="privacy">
            Leggi l’informativa
          </Act>
        </p>
      </div>
      <p id="soon" ref={soon} className={styles.soon} popover="manual">
        Un momento, la chat si apre…{' '}
        <a href={`${FORM}?callout=${callout?.slug ?? ''}`} target="_top">
          Se non succede, rispondi qui
        </a>
      </p>
    </div>
  );
}
