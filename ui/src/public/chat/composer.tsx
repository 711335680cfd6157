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
import { hintOf, isTold, positionOf, STEPS } from './field-hints';

/** What is said where an answer may be left out. */
const NONE = 'Non ce l’ho';
const SKIP = 'Salta';

const WRITE = 'Scrivi la tua risposta...';
const OR_WRITE = 'Oppure scrivi';

/** Which question it is; how many there are is not known of a callout, where an answer may lead elsewhere. */
function placeOf({ step, answers }: Conversation, { callout }: Boot): string {
  if (!callout) {
    return `Domanda ${positionOf(step)} di ${STEPS.length}`;
  }
  const given = Object.keys(answers);
  return `Domanda ${(given.includes(step) ? given.indexOf(step) : given.length) + 1}`;
}

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
  const box = useRef<HTMLInputElement & HTMLTextAreaElement & HTMLFieldSetElement>(null);
  const hold = useRef<(() => boolean) | null>(null);
  const { question } = state;
  // Its field is not there from the first moment on.
  const own = question?.key && later ? question : null;
  const hint = hintOf(state.step, own?.kind);
  const ticking = own?.kind === 'choices';
  /** The buttons are the answer, and have the focus: a phone's keyboard would cover them. */
  const choosing = own?.kind === 'choice' || own?.kind === 'yes_no';
  const asked = own && state.messages.findLast((said) => said.from === 'bot' && !said.hold)?.text;
  const busy = state.phase === 'sending';
  const blank = state.text.trim() === '';
  // A finger's keyboard has no Shift+Enter: there a story has paragraphs, and only the button sends it.
  const paragraphs = touch && hint.long;

  useEffect(() => setTouch(window.matchMedia('(pointer: coarse)').matches), []);

  // A person who has begun goes on to write; where one field takes the place of another, the phone's keyboard stays open.
  // What must be read may have hidden the buttons.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another field
  useLayoutEffect(
    () => box.current?.focus({ preventScroll: true }),
    [hint.long, own?.kind, choosing && held],
  );

  // An answer that comes back is there to be corrected: the cursor waits at its end.
  const returned = state.failure !== '' || state.refusal !== '';
  useEffect(() => {
    const field = box.current;
    // Of others a browser tells no cursor.
    if (returned && field !== null && ['text', 'tel', 'textarea'].includes(field.type)) {
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

  const none = boot.callout ? SKIP : NONE;
  const say = (text: string) => dispatch({ type: 'typed', text });

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
    className: styles.box,
    ...(choosing
      ? { 'aria-label': OR_WRITE, placeholder: `${OR_WRITE}...` }
      : { ref: box as RefObject<HTMLInputElement & HTMLTextAreaElement>, id: 'answer', placeholder: WRITE }),
    value: state.text,
    onChange: (event: { target: { value: string } }) => say(event.target.value),
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
        <label id="answer-label" className={styles.label} htmlFor="answer">
          {hint.label}
          {asked && <span className="visually-hidden">: {asked}</span>}
        </label>
        <span>{placeOf(state, boot)}</span>
      </div>
      {later && boot.attachments && state.conversation && isTold((state.aside ?? state).step) && (
        <later.Attach
          limits={boot.attachments}
          token={state.conversation}
          last={isLastStep(state.step)}
          hold={hold}
        />
      )}
      {question?.options && !ticking && (
        <div
          className={styles.options}
          {...(choosing && {
            ref: box,
            id: 'answer',
            role: 'group',
            tabIndex: -1,
            'aria-labelledby': 'answer-label',
            'aria-describedby': 'answer-said',
          })}
        >
          {question.options.map(({ key, text }) => (
            <Act key={key} disabled={busy} onClick={() => press({ type: 'submitted', text })}>
              {text}
            </Act>
          ))}
        </div>
      )}
      <div className={styles.row}>
        {ticking && later ? (
          <later.Choices
            ref={box}
            options={own.options ?? []}
            value={state.text}
            disabled={busy || state.unsure}
            onChoose={say}
          />
        ) : own?.kind === 'date' && later ? (
          <later.DateField {...field} onSay={say} />
        ) : hint.long ? (
          <textarea rows={1} {...field} />
        ) : (
          <input {...field} />
        )}
        <Act
          type="submit"
          main={!held}
          disabled={blank || busy || state.lost}
          // Pressing the button must not take the focus from the field: the phone's keyboard would close.
          onPointerDown={(event) => event.preventDefault()}
        >
          {ticking ? 'Continua' : isLastStep(state.step) ? 'Invia' : 'Avanti'}
        </Act>
      </div>
      <div id="answer-said" role="alert" className={styles.said}>
        {returned && <p className={styles.wrong}>{state.failure || state.refusal}</p>}
        {state.unable !== '' && <p>{state.unable}</p>}
      </div>
      {later && state.step === 'investigative_questions' && (
        <later.Counter text={state.text} least={boot.minimum} />
      )}
      {later && own?.kind === 'text' && own.max && <later.Counter text={state.text} most={own.max} />}
      <div className={styles.under}>
        <Act quiet popoverTarget="about">
          Chi legge?
        </Act>
        {question?.required === false && (boot.callout ? question.kind !== 'addition' : !hint.long) && (
          <Act quiet disabled={busy} onClick={() => press({ type: 'submitted', text: none })}>
            {none}
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
