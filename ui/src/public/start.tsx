/** What one knows before the first question: who reads, what is asked, what comes after, and whom to call in danger. */
import { useEffect, useRef } from 'react';
import type { Boot } from '../shared/lib/boot';
import { Act } from './act';
import styles from './start.module.css';

type Props = { boot: Boot; organization: string; onStart: () => void };

export function Start({ boot, organization, onStart }: Props) {
  const soon = useRef<HTMLParagraphElement>(null);

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
        <h2 id="start-title">Racconta alla redazione che cosa sta succedendo.</h2>
        <ul>
          <li>
            <b>Chi legge</b>
            {`Le giornaliste e i giornalisti di ${organization}.`}
          </li>
          <li>
            <b>Che cosa chiediamo</b>
            Età e recapiti, per richiamarti. Poi il racconto.
          </li>
          {/* Both are there in any case, hidden by style: the prerendered page cannot know what the newsroom offers. */}
          <li data-files={boot.attachments?.perReport ?? 0}>
            <b>Che cosa puoi mandare</b>
            Foto, video e vocali sono benvenuti.
          </li>
          <li data-receipts={boot.receipts ?? false}>
            <b>Che cosa succede dopo</b>
            Alla fine ricevi un codice per seguirla.
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
          Inizia <span className={styles.minutes}>circa 5 minuti</span>
        </Act>
        <p className={styles.legal}>
          I tuoi dati servono solo a questo.{' '}
          <Act quiet popoverTarget="privacy">
            Leggi l’informativa
          </Act>
        </p>
      </div>
      <p id="soon" ref={soon} className={styles.soon} popover="manual">
        Un momento, la chat si apre…
      </p>
    </div>
  );
}
