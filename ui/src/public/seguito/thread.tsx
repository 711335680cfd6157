/** The messages between newsroom and reporter, and the box for a new one. */
import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { Message, Receipt } from '../../shared/api/schema';
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

/** What was entered for the questions of a message: a text, or keys of options, by question. */
export type Entered = Readonly<Record<string, readonly string[]>>;

/** What was typed and not sent. */
export interface Draft {
  text: string;
  /** By the message that asks. */
  answers: Readonly<Record<number, Entered | undefined>>;
}

interface Props extends InVisit {
  limits: Limits | null;
  /** Set while a file is on its way. */
  sending: RefObject<boolean>;
  draft: Draft;
  onDraft: (change: Partial<Draft>) => void;
  /** What shows questions and consents; null until it has come, and while nothing is asked. */
  asked: typeof import('./asked') | null;
}

export function Thread(props: Props) {
  return (
    <section aria-labelledby="messages">
      <h2 id="messages">Messaggi</h2>
      <Messages {...props} />
      <Writing {...props} />
    </section>
  );
}

function Messages(props: Props) {
  const { messages, withdrawal } = props.receipt;
  if (messages.length === 0) {
    return <p className={styles.quiet}>Nessun messaggio. Se la redazione ti scrive, lo leggi qui.</p>;
  }
  return (
    <ol className={styles.messages}>
      {messages.map((message) => {
        const { id, from, text, at } = message;
        return (
          <li key={id} id={`m${id}`} data-from={from} data-asks={isAsking(message) || undefined}>
            <small>
              <b>{from === 'redazione' ? 'La redazione' : 'Tu'}</b>{' '}
              <time dateTime={at}>{formatDateTime(at)}</time>
              {from === 'segnalante' && at === withdrawal?.at && <span>, chiedendo di ritirare tutto</span>}
            </small>
            <p translate={from === 'segnalante' ? 'no' : undefined}>{text}</p>
            <Asked {...props} message={message} />
          </li>
        );
      })}
    </ol>
  );
}

export const isAsking = ({ questions, consent }: Message): boolean =>
  questions.length > 0 || consent !== null;

function Asked({ asked, message, draft, onDraft, ...visit }: Props & { message: Message }) {
  if (asked === null) {
    return null;
  }
  const enter = (entered: Entered | undefined) =>
    onDraft({ answers: { ...draft.answers, [message.id]: entered } });
  const tell = (text: string) => {
    onDraft({
      text: draft.text === '' ? text : `${draft.text}\n\n${text}`,
      answers: { ...draft.answers, [message.id]: undefined },
    });
    document.getElementById('message')?.focus();
  };
  return (
    <>
      {message.consent && <asked.Consenting consent={message.consent} {...visit} />}
      {message.questions.length > 0 && (
        <asked.Questions
          message={message}
          entered={draft.answers[message.id]}
          onEnter={enter}
          onTell={tell}
          {...visit}
        />
      )}
    </>
  );
}

function Writing({ receipt, limits, sending, draft: { text }, onDraft, onReceipt, onOver }: Props) {
  const { conversation, messages } = receipt;
  const answering = messages.some(({ questions, answers }) => questions.length > 0 && answers === null);
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
        onDraft({ text: '' });
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
        onChange={(event) => onDraft({ text: event.target.value })}
        aria-describedby="message-failure"
        aria-invalid={failure !== '' || undefined}
      />
      <p id="message-failure" className={styles.wrong} role="alert">
        {failure}
      </p>
      {Attach && limits !== null && conversation !== null && (
        <Attach key={round} limits={limits} token={conversation} last later hold={hold} onItems={setFiles} />
      )}
      <Act type="submit" main={!answering} aria-disabled={busy || message === ''}>
        {busy ? 'Invio…' : 'Invia'}
      </Act>
    </form>
  );
}
