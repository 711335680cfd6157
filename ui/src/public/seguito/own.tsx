/** The reporter's own data: files to open and to withdraw, a copy to download, and the request to withdraw the whole report. */
import { type FormEvent, useEffect, useState } from 'react';
import type { Attachment, Message, OwnData } from '../../shared/api/schema';
import { formatDate, formatDateTime } from '../../shared/lib/dates';
import { sizeOf } from '../../shared/lib/file-size';
import { download, saveFile } from '../../shared/lib/save-file';
import { announce } from '../../shared/ui/announcer';
import { Act } from '../act';
import styles from './follow.module.css';
import type { InVisit } from './thread';
import { addressOfFile, askWithdrawal, ownData, takeBack, tryFile, useAct } from './visit';

export function OwnFiles({ receipt, ...visit }: InVisit) {
  return (
    <section aria-labelledby="own-files">
      <h2 id="own-files">I tuoi file</h2>
      <ul className={styles.files}>
        {receipt.attachments.map((file) => (
          <OwnFile
            key={file.n}
            file={file}
            {...visit}
            onReceipt={(now) => {
              visit.onReceipt(now);
              announce(`${file.name} ritirato.`);
            }}
          />
        ))}
      </ul>
    </section>
  );
}

/** The types of pictures that every browser draws. */
const DRAWN = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];

function OwnFile({ file, onReceipt, onOver }: { file: Attachment } & Omit<InVisit, 'receipt'>) {
  const { n, name, size, at, type } = file;
  const [shown, setShown] = useState(false);
  const [asked, setAsked] = useState(false);
  const { busy, failure, run } = useAct(onOver);
  const address = addressOfFile(n);
  const open = () => {
    if (shown) {
      setShown(false);
      return;
    }
    void run(
      (signal) => tryFile(n, signal),
      () => (DRAWN.includes(type) ? setShown(true) : download(address, '')),
    );
  };
  return (
    <li>
      <div>
        <p>
          <strong translate="no">{name}</strong>
        </p>
        <small>
          {sizeOf(size)}, {formatDate(at)}
        </small>
      </div>
      <div className={styles.acts}>
        <Act aria-expanded={shown} onClick={open}>
          <span>{shown ? 'Chiudi' : 'Apri'}</span>
          <span className="visually-hidden"> {name}</span>
        </Act>
        <Act quiet aria-expanded={asked} onClick={() => setAsked(!asked)}>
          Ritira<span className="visually-hidden"> {name}</span>
        </Act>
      </div>
      {asked && (
        <div className={styles.asked}>
          <p>Lo ritiri? La redazione non lo vedrà più, e nessuno potrà recuperarlo.</p>
          <Act danger disabled={busy} onClick={() => void run((signal) => takeBack(n, signal), onReceipt)}>
            Ritira il file
          </Act>
          <Act quiet onClick={() => setAsked(false)}>
            Lascialo
          </Act>
        </div>
      )}
      <p className={styles.wrong} role="alert">
        {failure}
      </p>
      {shown && <img src={address} alt={name} />}
    </li>
  );
}

export function OwnDataActs({ onOver }: Pick<InVisit, 'onOver'>) {
  const [printed, setPrinted] = useState<OwnData | null>(null);
  const { busy, failure, run } = useAct(onOver);
  useEffect(() => {
    if (printed === null) {
      return;
    }
    // It does not stay in the page.
    const clear = () => setPrinted(null);
    window.addEventListener('afterprint', clear);
    window.print();
    return () => window.removeEventListener('afterprint', clear);
  }, [printed]);
  const save = (data: OwnData) =>
    saveFile(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }), 'i-miei-dati.json');
  return (
    <section aria-labelledby="own-data">
      <h2 id="own-data">I tuoi dati</h2>
      <p className={styles.quiet}>Tutto quello che ci hai mandato, e quello che ci siamo scritti.</p>
      <div className={styles.acts}>
        <Act disabled={busy} onClick={() => void run(ownData, save)}>
          Scarica i tuoi dati
        </Act>
        <Act disabled={busy} onClick={() => void run(ownData, setPrinted)}>
          Stampa
        </Act>
      </div>
      <p className={styles.wrong} role="alert">
        {failure}
      </p>
      {printed && <Printed data={printed} />}
    </section>
  );
}

/** A message with what was answered to it. */
function written({ from, at, text, answers, consent }: Message): string {
  const answered = answers?.data.map((one) => `\n${one.question} ${one.text}`) ?? [];
  const decided = consent?.answered ? [`\n${consent.given ? 'Sì' : 'No'}, ${when(consent.answered)}`] : [];
  return [`${when(at)}, ${from}:\n${text}`, ...answered, ...decided].join('');
}

const when = (at: string | null | undefined) => at && formatDateTime(at);

const rowsOf = (data: OwnData): readonly [string, string | number | null | undefined][] => [
  ['Nome', data.nome],
  ['Cognome', data.cognome],
  ['Età', data.eta],
  ['Telefono', data.telefono],
  ['Email', data.email],
  ['Indirizzo', data.indirizzo],
  ['Racconto', data.segnalazione],
  ['Stato', data.state],
  ['Inviata', when(data.data_creazione)],
  ['Letta', when(data.openedAt)],
  ['In lavorazione', when(data.workingAt)],
  ['Conclusa', when(data.concludedAt)],
  ['Promesso di leggerla entro', when(data.firstDue)],
  ['Promesso di dire come è andata entro', when(data.outcomeDue)],
  ['Chiesto di ritirare tutto', when(data.withdrawal?.at)],
  ['Versione dell’informativa', data.privacyVersion],
  ['Messaggi', data.messages.map(written).join('\n\n')],
  ['File', data.attachments.map(({ name, size }) => `${name}, ${sizeOf(size)}`).join('\n')],
];

/** On paper alone, where it takes the place of the page. */
function Printed({ data }: { data: OwnData }) {
  return (
    <dl className={styles.printed} data-theme="light">
      {rowsOf(data).map(([name, text]) =>
        text ? (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}

export function Withdrawing({ receipt, onReceipt, onOver }: InVisit) {
  const { withdrawal, withdrawalAnswered } = receipt;
  const [asked, setAsked] = useState(false);
  const [reason, setReason] = useState('');
  const { busy, failure, run } = useAct(onOver);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) {
      void run(
        (signal) => askWithdrawal(reason, signal),
        (now) => {
          setAsked(false);
          setReason('');
          onReceipt(now);
          announce('Richiesta inviata.');
        },
      );
    }
  };
  const waits = withdrawal !== null && withdrawalAnswered === null;
  return (
    <section aria-labelledby="withdrawing">
      <h2 id="withdrawing">Ritirare tutto</h2>
      {withdrawal && (
        <p>
          {`Hai chiesto di ritirare tutto il ${formatDate(withdrawal.at)}. ${
            withdrawalAnswered
              ? `La redazione ti ha risposto il ${formatDate(withdrawalAnswered)}: leggi i messaggi.`
              : `Entro il ${formatDate(withdrawal.due)} la redazione cancella la segnalazione, oppure ti risponde qui perché no.`
          }`}
        </p>
      )}
      {waits || asked || <Act onClick={() => setAsked(true)}>Chiedi di ritirare tutto</Act>}
      {asked && (
        <form onSubmit={send}>
          <p>La redazione ha sette giorni per cancellare tutto, o per risponderti qui perché no.</p>
          <label htmlFor="reason">Perché? (facoltativo)</label>
          <textarea
            id="reason"
            className={styles.box}
            rows={3}
            aria-describedby="reason-failure"
            aria-invalid={failure !== '' || undefined}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          <div className={styles.acts}>
            <Act type="submit" danger disabled={busy}>
              Invia la richiesta
            </Act>
            <Act quiet onClick={() => setAsked(false)}>
              Annulla
            </Act>
          </div>
        </form>
      )}
      <p id="reason-failure" className={styles.wrong} role="alert">
        {failure}
      </p>
    </section>
  );
}
