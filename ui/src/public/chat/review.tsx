/**
 * The last question as a page of its own: what will be sent, what may be missing, and the one button that sends it. Must never
 * say that nothing has arrived where something may have.
 */
import { type Dispatch, type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Boot } from '../../shared/lib/boot';
import { Act } from '../act';
import { AddFiles, NOTHING_PENDING, type Pending } from '../attach/add-files';
import { FileList } from '../attach/file-list';
import { type Limits, useFiles } from '../attach/files';
import { Icon } from '../icon';
import { Restart } from '../restart';
import chat from './chat.module.css';
import composer from './composer.module.css';
import { type Conversation, type Event, isCorrectable, type Step } from './conversation';
import { labelOf } from './field-hints';
import styles from './review.module.css';
import { unbroken } from './unbroken';
import { Waiting } from './waiting';

/** The answer that says that there is nothing to add. */
const NOTHING = 'no';
const SEND = 'Invia la segnalazione';

type Props = {
  state: Conversation;
  boot: Boot;
  dispatch: Dispatch<Event>;
  onCorrect: (step: Step) => void;
  onRestart: () => void;
};

/** The assistant's answer to a text that was not sent on, without the question itself. */
function answerTo({ messages, news }: Conversation): readonly string[] {
  const last = messages.findLast(({ from }) => from === 'user');
  return last?.step === undefined ? news.slice(0, Math.max(1, news.length - 1)) : [];
}

export function Review({ state, boot, dispatch, onCorrect, onRestart }: Props) {
  const { conversation, refusal, failure, unsure, lost } = state;
  const busy = state.phase === 'sending';
  const sending = busy && !state.turn?.back;
  const [adding, setAdding] = useState(!['', NOTHING].includes(state.text));
  const addition = adding ? state.text : '';
  /** Why sending has to wait, and how often it was asked for. */
  const [{ reason, attach }, setPending] = useState(NOTHING_PENDING);
  const [asked, setAsked] = useState(0);
  const heading = useRef<HTMLHeadingElement>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const wrong = (asked > 0 && reason) || failure || refusal;
  const lines = state.messages.findLast(({ summary }) => summary)?.summary ?? [];

  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    if (refusal !== '') {
      box.current?.focus();
      box.current?.scrollIntoView?.({ block: 'center' });
    }
  }, [refusal]);

  const act = (waits: boolean, now: () => void) => {
    setAsked(waits ? asked + 1 : 0);
    if (!waits && !busy) {
      now();
    }
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    act(!lost && (attach?.() !== undefined || reason !== ''), () =>
      lost
        ? onRestart()
        : dispatch({
            type: 'submitted',
            text: addition.trim() || NOTHING,
            ...(addition.trim() === '' && { shown: SEND }),
          }),
    );
  };
  // An upload goes on meanwhile.
  const correct = (step: Step) => {
    act(attach !== null && !attach(), () => onCorrect(step));
  };
  const fix = (step: Step, label: string) => (
    <Act
      className={styles.fix}
      quiet
      aria-disabled={!isCorrectable(state)}
      onClick={() => isCorrectable(state) && correct(step)}
    >
      Correggi<span className="visually-hidden">: {label}</span>
    </Act>
  );
  const add = !adding && (
    <Act
      disabled={unsure}
      onClick={() => {
        flushSync(() => setAdding(true));
        box.current?.focus();
      }}
    >
      <Icon path="M12 20h9M16.500 3.500a2.100 2.100 0 0 1 3 3L7 19l-4 1 1-4z" />
      Aggiungi qualcosa
    </Act>
  );
  const question = (
    <>
      <h3>Manca qualcosa?</h3>
      {adding && (
        <div className={`${composer.form} ${composer.row} ${styles.addition}`} data-long="">
          <textarea
            ref={box}
            className={composer.box}
            aria-label="Che cosa vuoi aggiungere"
            aria-invalid={refusal !== ''}
            aria-describedby="review-said"
            value={addition}
            readOnly={busy || unsure}
            aria-disabled={busy}
            onChange={(event) => dispatch({ type: 'typed', text: event.target.value })}
          />
        </div>
      )}
    </>
  );

  return (
    <>
      <section className={styles.page} aria-labelledby="review">
        <h2 ref={heading} id="review" tabIndex={-1}>
          Controlla e invia
        </h2>
        <dl className={styles.answers}>
          {lines.map(({ state: step, text, label }) => (
            <div key={step}>
              <dt>{labelOf(step, label)}</dt>
              <dd>
                {step === 'investigative_questions' && text !== '' ? (
                  <Account text={text} />
                ) : (
                  <span {...(text !== '' && { translate: 'no' })}>
                    {text === '' ? 'Non indicato' : unbroken(text)}
                  </span>
                )}
                {fix(step, labelOf(step, label))}
              </dd>
            </div>
          ))}
        </dl>
        {boot.attachments && conversation ? (
          <Attached limits={boot.attachments} token={conversation} onPending={setPending} add={add}>
            {question}
          </Attached>
        ) : (
          <>
            {question}
            {add}
          </>
        )}
        <div className={composer.under}>
          <Act quiet popoverTarget="about">
            Chi legge?
          </Act>
          <Restart state={state} onRestart={onRestart} />
        </div>
      </section>
      <form className={chat.foot} onSubmit={send}>
        <div id="review-said" role="alert">
          {wrong !== '' && (
            <p key={`${asked} ${wrong}`} className={composer.wrong}>
              {unbroken(wrong)}
            </p>
          )}
          {wrong === refusal && state.reason !== '' && <p>{state.reason}</p>}
        </div>
        {answerTo(state).map((text) => (
          <p key={text}>{text}</p>
        ))}
        {busy && <Waiting checking={state.checking} />}
        <Act type="submit" className={styles.send} main aria-disabled={busy}>
          {lost ? 'Ricomincia' : sending ? 'Invio…' : SEND}
        </Act>
        <p className={styles.note}>
          {sending
            ? 'Invio in corso: non chiudere la pagina.'
            : unsure
              ? 'Forse è già arrivata. Premi di nuovo per averne conferma: non ne parte una seconda.'
              : 'Non abbiamo ancora ricevuto nulla: parte quando premi.'}
        </p>
      </form>
    </>
  );
}

/** Ten lines of it, unless all is asked for. */
function Account({ text }: { text: string }) {
  const words = useRef<HTMLParagraphElement>(null);
  const [whole, setWhole] = useState(false);
  const [cut, setCut] = useState(false);
  useEffect(() => {
    const watcher = new ResizeObserver(([seen]) => {
      const { scrollHeight = 0, clientHeight = 0 } = seen?.target ?? {};
      setCut(scrollHeight > clientHeight + 1);
    });
    if (words.current !== null && !whole) {
      watcher.observe(words.current);
    }
    return () => watcher.disconnect();
  }, [whole]);
  return (
    <>
      <p ref={words} className={styles.account} data-whole={whole || undefined} translate="no">
        {text}
      </p>
      {(cut || whole) && (
        <Act
          quiet
          aria-expanded={whole}
          onClick={() => {
            setWhole(!whole);
            words.current?.scrollIntoView?.({ block: 'nearest' });
          }}
        >
          {whole ? 'Mostra meno' : 'Mostra tutto'}
        </Act>
      )}
    </>
  );
}

type AttachedProps = {
  limits: Limits;
  token: string;
  onPending: (pending: Pending) => void;
  add: ReactNode;
  children: ReactNode;
};

function Attached({ limits, token, onPending, add, children }: AttachedProps) {
  const [files, items] = useFiles(token, limits);
  return (
    <>
      {items.length > 0 && <h3>I tuoi file</h3>}
      {items.length > 0 && <FileList files={files} items={items} tiles />}
      {children}
      <AddFiles files={files} items={items} last onPending={onPending}>
        {add}
      </AddFiles>
    </>
  );
}
