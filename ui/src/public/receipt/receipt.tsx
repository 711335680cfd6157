/** The receipt's code. Must never put it into an address, which browsers remember. */
import { useState } from 'react';
import { type Qr, qrOf } from '../../shared/lib/qr';
import { announce } from '../../shared/ui/announcer';
import styles from '../chat/kept-notices.module.css';

export const FOLLOW = `${import.meta.env.BASE_URL}seguito`;

function save(code: string): void {
  const page = new URL(FOLLOW, window.location.href);
  const text = `Codice: ${code}\n\nPer seguire la segnalazione apri ${page} e inserisci il codice.\nNon darlo a nessuno: chi lo ha legge quello che tu e la redazione vi scrivete.\n`;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  link.download = 'codice.txt';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  announce('File salvato.');
}

export function Receipt({ code }: { code: string }) {
  const [picture, setPicture] = useState<Qr | null>(null);
  const [failed, setFailed] = useState('');
  const attempt = (work: Promise<unknown>, reason: string) => {
    setFailed('');
    work.catch(() => setFailed(reason));
  };
  const copy = () =>
    attempt(
      // Absent where the page is not served securely.
      Promise.resolve(navigator.clipboard).then(async (clipboard) => {
        await clipboard.writeText(code);
        announce('Codice copiato.');
      }),
      'Copia non riuscita: seleziona il codice e copialo a mano.',
    );
  const draw = () =>
    attempt(qrOf(code).then(setPicture), 'Il QR non si può mostrare adesso: annota il codice.');
  return (
    <section className={styles.notice} data-state="sent" aria-label="Ricevuta">
      <h2 className={styles.title}>Il tuo codice</h2>
      <strong>
        <samp className={styles.report}>{code}</samp>
      </strong>
      <p>
        Con questo codice vedi a che punto è la segnalazione, leggi se la redazione ti scrive e puoi
        risponderle. Compare solo adesso: conservalo, e non darlo a nessuno.
      </p>
      <div className={styles.actions}>
        <button type="button" className="button" onClick={copy}>
          Copia
        </button>
        <button type="button" className="button" onClick={() => save(code)}>
          Salva come file
        </button>
        {picture === null && (
          <button type="button" className="button" onClick={draw}>
            Mostra il QR
          </button>
        )}
        {/* That page goes into no frame: there it would take the place of the code and show nothing. */}
        <a href={FOLLOW} target={window.parent === window ? undefined : '_blank'}>
          Segui la segnalazione
        </a>
      </div>
      {picture !== null && (
        <svg
          width={192}
          viewBox={`0 0 ${picture.size} ${picture.size}`}
          shapeRendering="crispEdges"
          role="img"
          aria-label="Codice QR: contiene solo il codice"
        >
          <rect width="100%" height="100%" fill="#fff" />
          <path d={picture.path} />
        </svg>
      )}
      {failed && <p role="alert">{failed}</p>}
    </section>
  );
}
