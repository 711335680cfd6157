/** Keeps the focus all along: while an answer is sent the field is read-only, as a disabled one would close the keyboard. */
import {
  type Dispatch,
  type FormEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { Boot } from '../../shared/lib/boot';
import { Act } from '../act';
import type { Later } from '../use-later';
import styles from './composer.module.css';
import { type Conversation, type Event, isLastStep } from './conversation';
import { HINTS, positionOf, STEPS } from './field-hints';

/** What is said where an answer may be left out. */
const NONE = 'Non ce l’ho';

type Props = {
  state: Conversation;
  boot: Boot;
  later: Later | null;
  /** Something above must be read first: then nothing here stands out. */
  held: boolean;
  dispatch: Dispatch<Event>;
  onRestart: () => void;
};

export function Composer({ state, boot, later, held, dispatch, onRestart }: Props) {
  const [touch, setTouch] = useState(false);
  const box = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const hold = useRef<(() => boolean) | null>(null);
  const hint = HINTS[state.step];
  const busy = state.phase === 'sending';
  const blank = state.text.trim() === '';
  // A finger's keyboard has no Shift+Enter: there a story has paragraphs, and only the button sends it.
  const paragraphs = touch && hint.long;

  useEffect(() => setTouch(window.matchMedia('(pointer: coarse)').matches), []);

  // A person who has begun goes on to write; where one field takes the place of another, the phone's keyboard stays open.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another field
  useLayoutEffect(() => box.current?.focus({ preventScroll: true }), [hint.long]);

  // An answer that comes back is there to be corrected: the cursor waits at its end.
  const returned = state.failure !== '' || state.refusal !== '';
  useEffect(() => {
    const field = box.current;
    // Of an address for letters a browser tells no cursor.
    if (returned && field !== null && field.type !== 'email') {
      field.setSelectionRange(field.value.length, field.value.length);
    }
  }, [returned]);

  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (!hold.current?.()) {
      dispatch({ type: 'submitted' });
    }
    box.current?.focus();
  };

  const press = (event: Event) => {
    dispatch(event);
    box.current?.focus();
  };

  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !paragraphs && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      send();
    }
  };

  const field = {
    ref: box as RefObject<HTMLInputElement & HTMLTextAreaElement>,
    id: 'answer',
    className: styles.box,
    placeholder: 'Scrivi la tua risposta...',
    value: state.text,
    onChange: (event: { target: { value: string } }) => dispatch({ type: 'typed', text: event.target.value }),
    onKeyDown: pressed,
    // Of an answer that may have arrived nothing is changed any more.
    readOnly: busy || state.unsure,
    'aria-disabled': busy,
    'aria-invalid': returned,
    'aria-describedby': 'answer-said answer-counter',
    spellCheck: hint.long,
    enterKeyHint: paragraphs ? 'enter' : hint.long ? 'send' : 'next',
    ...hint.input,
  } as const;

  return (
    <form
      className={styles.form}
      onSubmit={send}
      noValidate
      data-long={hint.long || undefined}
      data-held={held || undefined}
    >
      <div className={styles.above}>
        <label className={styles.label} htmlFor="answer">
          {hint.label}
        </label>
        <span>{`Domanda ${positionOf(state.step)} di ${STEPS.length}`}</span>
      </div>
      {later && boot.attachments && state.conversation && HINTS[(state.aside ?? state).step].long && (
        <later.Attach
          limits={boot.attachments}
          token={state.conversation}
          last={isLastStep(state.step)}
          hold={hold}
        />
      )}
      {state.question?.options && (
        <div className={styles.options}>
          {state.question.options.map(({ key, text }) => (
            <Act key={key} disabled={busy} onClick={() => press({ type: 'submitted', text })}>
              {text}
            </Act>
          ))}
        </div>
      )}
      <div className={styles.row}>
        {hint.long ? <textarea rows={1} {...field} /> : <input {...field} />}
        <Act
          type="submit"
          main={!held}
          disabled={blank || busy || state.lost}
          // Pressing the button must not take the focus from the field: the phone's keyboard would close.
          onPointerDown={(event) => event.preventDefault()}
        >
          {isLastStep(state.step) ? 'Invia' : 'Avanti'}
        </Act>
      </div>
      <div id="answer-said" role="alert" className={styles.said}>
        {returned && <p className={styles.wrong}>{state.failure || state.refusal}</p>}
        {state.unable !== '' && <p>{state.unable}</p>}
      </div>
      {later && state.step === 'investigative_questions' && (
        <later.Counter text={state.text} least={boot.minimum} />
      )}
      <div className={styles.under}>
        <Act quiet popoverTarget="about">
          Chi legge?
        </Act>
        {state.question?.required === false && !hint.long && (
          <Act quiet disabled={busy} onClick={() => press({ type: 'submitted', text: NONE })}>
            {NONE}
          </Act>
        )}
        {state.aside !== null && (
          <Act quiet disabled={busy} onClick={() => press({ type: 'left' })}>
            Lascia com’è
          </Act>
        )}
        {state.lost ? (
          <Act onClick={onRestart}>Ricomincia</Act>
        ) : (
          later && <later.Restart state={state} onRestart={onRestart} />
        )}
      </div>
    </form>
  );
}
