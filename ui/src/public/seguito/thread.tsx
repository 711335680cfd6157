/** The messages between newsroom and reporter, and the box for a new one. */
import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { Receipt } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { SendKey } from '../../shared/lib/send-key';
import { announce } from '../../shared/ui/announcer';
import { Act } from '../act';
import { type Item, isUnderWay, type Limits, leaveFiles } from '../attach/files';
import { usePart } from '../use-part';
import styles from './follow.module.css';
import { useAct, write } from './visit';

/** The props that all parts of a visit share. */
export interface InVisit {
  receipt: Receipt;
  onReceipt: (receipt: Receipt) => void;
  onOver: (error: unknown) => void;
}

interface Props extends InVisit {
  limits: Limits | null;
  /** Set while a file is on its way. */
  sending: RefObject<boolean>;
  draft: string;
  onDraft: (text: string) => void;
}

export function Thread(props: Props) {
  return (
    <section aria-labelledby="messages">
      <h2 id="messages">Messaggi</h2>
      <Messages receipt={props.receipt} />
      <Writing {...props} />
    </section>
  );
}

function Messages({ receipt: { messages, withdrawal } }: { receipt: Receipt }) {
  if (messages.length === 0) {
    return <p className={styles.quiet}>Nessun messaggio. Se la redazione ti scrive, lo leggi qui.</p>;
  }
  return (
    <ol className={styles.messages}>
      {messages.map(({ from, text, at }) => (
        <li key={`${at} ${from}`} data-from={from}>
          <small>
            <b>{from === 'redazione' ? 'La redazione' : 'Tu'}</b>{' '}
            <time dateTime={at}>{formatDateTime(at)}</time>
            {from === 'segnalante' && at === withdrawal?.at && <span>, chiedendo di ritirare tutto</span>}
          </small>
          <p translate={from === 'segnalante' ? 'no' : undefined}>{text}</p>
        </li>
      ))}
    </ol>
  );
}

function Writing({ receipt, limits, sending, draft: text, onDraft, onReceipt, onOver }: Props) {
  const { conversation } = receipt;
  const wanted = limits !== null && conversation !== null;
  const Attach = usePart(wanted, () => import('../attach/attach'))?.Attach;
  const [files, setFiles] = useState<readonly Item[]>([]);
  const [round, setRound] = useState(0);
  const hold = useRef<(() => boolean) | null>(null);
  const attached = files.filter(({ state }) => state === 'done').map(({ name }) => name);
  // A file needs no words: then the message names it.
  const message = text.trim() || (attached.length > 0 ? `Allego: ${attached.join(', ')}` : '');
  // A message keeps its key, however often it is sent.
  const [key] = useState(() => new SendKey());
  useEffect(() => {
    sending.current = files.some(isUnderWay);
    return () => {
      sending.current = false;
    };
  }, [files, sending]);
  const { busy, failure, run } = useAct(onOver);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (busy || message === '' || hold.current?.()) {
      return;
    }
    void run(
      (signal) => write(message, key.of(message), signal),
      (now) => {
        key.arrived();
        leaveFiles(false, true);
        setRound((before) => before + 1);
        onReceipt(now);
        onDraft('');
        announce('Messaggio inviato.');
      },
    );
  };
  return (
    <form onSubmit={send}>
      <label htmlFor="message">Scrivi alla redazione</label>
      <textarea
        id="message"
        className={styles.box}
        rows={3}
        value={text}
        onChange={(event) => onDraft(event.target.value)}
        aria-describedby="message-failure"
        aria-invalid={failure !== '' || undefined}
      />
      <p id="message-failure" className={styles.wrong} role="alert">
        {failure}
      </p>
      {Attach && limits !== null && conversation !== null && (
        <Attach key={round} limits={limits} token={conversation} last later hold={hold} onItems={setFiles} />
      )}
      <Act type="submit" main aria-disabled={busy || message === ''}>
        {busy ? 'Invio…' : 'Invia'}
      </Act>
    </form>
  );
}
