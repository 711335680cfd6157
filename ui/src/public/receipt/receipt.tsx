/** The receipt's code. Must never put it into an address, which browsers remember. */
import { useState } from 'react';
import { type Qr, qrOf } from '../../shared/lib/qr';
import { saveFile } from '../../shared/lib/save-file';
import { Act } from '../act';
import styles from '../chat/kept-notices.module.css';

export const FOLLOW = `${import.meta.env.BASE_URL}seguito`;

function save(code: string): void {
  const page = new URL(FOLLOW, window.location.href);
  const text = `Codice: ${code}\n\nPer seguire la segnalazione apri ${page} e inserisci il codice.\nNon darlo a nessuno: chi lo ha legge quello che tu e la redazione vi scrivete.\n`;
  saveFile(new Blob([text], { type: 'text/plain;charset=utf-8' }), 'codice.txt');
}

export function Keep({ code }: { code: string }) {
  const [picture, setPicture] = useState<Qr | null>(null);
  const [told, setTold] = useState('');
  const attempt = (work: Promise<unknown>, reason: string) => {
    setTold('');
    work.catch(() => setTold(reason));
  };
  const copy = () =>
    attempt(
      // Absent where the page is not served securely.
      Promise.resolve(navigator.clipboard).then(async (clipboard) => {
        await clipboard.writeText(code);
        setTold('Codice copiato.');
      }),
      'Copia non riuscita: seleziona il codice e copialo a mano.',
    );
  const draw = () =>
    attempt(qrOf(code).then(setPicture), 'Il QR non si può mostrare adesso: annota il codice.');
  return (
    <div className={styles.keep}>
      <div className={styles.ways}>
        <Act main onClick={copy}>
          Copia
        </Act>
        <Act
          onClick={() => {
            save(code);
            setTold('File salvato.');
          }}
        >
          Salva come file
        </Act>
        {picture === null && <Act onClick={draw}>Mostra il QR</Act>}
      </div>
      {picture !== null && (
        <figure className={styles.qr}>
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
          <figcaption>Inquadralo con un altro telefono: contiene solo il codice.</figcaption>
        </figure>
      )}
      <p role="status">{told}</p>
    </div>
  );
}

/** The code of a report that left later. */
export function Receipt({ code }: { code: string }) {
  return (
    <section className={styles.notice} data-state="sent" aria-label="Ricevuta">
      <h2 className={styles.title}>Il tuo codice</h2>
      <strong>
        <samp className={styles.report} translate="no">
          {code}
        </samp>
      </strong>
      <p>
        Con questo codice vedi a che punto è la segnalazione, leggi se la redazione ti scrive e puoi
        risponderle. Salvalo adesso: se lo perdi non possiamo ridartelo. Non darlo a nessuno.
      </p>
      <Keep code={code} />
      {/* That page goes into no frame: there it would take the place of the code and show nothing. */}
      <a href={FOLLOW} target={window.parent === window ? undefined : '_blank'}>
        Segui la segnalazione
      </a>
    </section>
  );
}
