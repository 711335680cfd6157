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
import { flushSync } from 'react-dom';
import type { Boot } from '../../shared/lib/boot';
import { Act } from '../act';
import type { Later } from '../use-later';
import styles from './composer.module.css';
import { type Conversation, type Event, isLastStep, namedIn } from './conversation';
import { hintOf, isTold, wayOf } from './field-hints';
import { unbroken } from './unbroken';

const WRITE = 'Scrivi la tua risposta...';
const OR_WRITE = 'Oppure scrivi';
const SKIP = 'Salta';

/** Which question it is; of a callout how many there are is known once it has begun. */
function placeOf(state: Conversation, { callout }: Boot): string {
  const [place, places] = wayOf(state, Boolean(callout));
  const said = places === 0 ? `Domanda ${place}` : `Domanda ${place} di ${places}`;
  return state.aside === null ? said : `Stai correggendo · ${said}`;
}

/** Also where the buttons have the focus. */
const toBox = () => document.querySelector<HTMLElement>(`.${styles.box}`)?.focus();

/** Who begins to write while a button has the focus goes on in the box. */
function writeOn({ key, ctrlKey, metaKey }: KeyboardEvent): void {
  if (key.length === 1 && key !== ' ' && !ctrlKey && !metaKey) {
    toBox();
  }
}

/** Where a refused answer is to be mended: the word that is named, all of a datum, the end of an account. */
function mend(field: HTMLInputElement | HTMLTextAreaElement, state: Conversation, long: boolean): void {
  const word = namedIn(state, field.value);
  if (word !== '') {
    const at = field.value.indexOf(word);
    field.setSelectionRange(at, at + word.length);
  } else if (state.failure === '' && !long) {
    field.select();
  } else if (['text', 'tel', 'textarea'].includes(field.type)) {
    // Browsers tell no cursor position for other types of inputs.
    field.setSelectionRange(field.value.length, field.value.length);
  }
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
  const refusal = useRef<HTMLDivElement>(null);
  const offered = useRef<HTMLFieldSetElement>(null);
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
  const offers = !ticking && question?.options !== undefined;
  const [worded, setWorded] = useState('');
  /** The buttons are enough, unless somebody would rather write. */
  const written = !choosing || worded === state.step || state.text !== '';
  const skippable =
    question?.required === false && (boot.callout ? question.kind !== 'addition' : !hint.long);

  useEffect(() => setTouch(window.matchMedia('(pointer: coarse)').matches), []);

  // A person who has begun goes on to write; where one field takes the place of another, the phone's keyboard stays open.
  // A message that must be read may have hidden the buttons.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another field
  useLayoutEffect(
    () => box.current?.focus({ preventScroll: true }),
    [hint.long, own?.kind, choosing && held],
  );

  // A question back is answered by a button, which comes next in the order of focus.
  useEffect(() => {
    if (offers && !choosing && !held && !busy) {
      offered.current?.querySelector('button')?.focus({ preventScroll: true });
    }
  }, [offers, choosing, held, busy]);

  const returned = state.failure !== '' || state.refusal !== '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: another answer that comes back
  useEffect(() => {
    if (returned && box.current instanceof HTMLElement && 'select' in box.current) {
      mend(box.current, state, hint.long);
      refusal.current?.scrollIntoView?.({ block: 'nearest' });
    }
  }, [returned, state.turn]);

  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (!hold.current?.()) {
      dispatch({ type: 'submitted' });
    }
    box.current?.focus();
  };

  const say = (text: string) =>
    dispatch({ type: 'typed', text, enough: later?.isEnough(text, boot.minimum) ?? false });

  const press = (event: Event) => {
    dispatch(event);
    box.current?.focus();
  };

  const skip = boot.callout ? SKIP : hint.none;

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
    // An answer that may have arrived cannot be changed any more.
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
      data-skippable={skippable || undefined}
    >
      <div className={styles.above}>
        <label key={state.step} id="answer-label" className={styles.label} htmlFor="answer">
          <span>{hint.label}</span>
          {asked && <span className="visually-hidden">: {asked}</span>}
        </label>
        <span>{placeOf(state, boot)}</span>
      </div>
      {offers && (
        <fieldset
          ref={choosing ? box : offered}
          id={choosing ? 'answer' : 'offered'}
          className={styles.options}
          tabIndex={-1}
          aria-labelledby="answer-label"
          aria-describedby="answer-said"
        >
          {question?.options?.map(({ key, text }) => (
            <Act
              key={key}
              disabled={busy}
              onKeyDown={writeOn}
              onClick={() => press({ type: 'submitted', text })}
            >
              {text}
            </Act>
          ))}
        </fieldset>
      )}
      <div className={styles.row}>
        {!written ? null : ticking && later ? (
          <later.Choices
            ref={box}
            options={own.options ?? []}
            value={state.text}
            disabled={busy || state.unsure}
            onChoose={say}
          />
        ) : hint.long ? (
          <textarea rows={1} {...field} />
        ) : (
          <input {...field} />
        )}
        <div className={styles.rest}>
          <div ref={refusal} id="answer-said" role="alert" className={styles.said}>
            {returned && (
              <p key={state.failure || state.refusal} className={styles.wrong}>
                {unbroken(state.failure || state.refusal)}
              </p>
            )}
            {state.reason !== '' && <p key={state.reason}>{unbroken(state.reason)}</p>}
            {state.unable !== '' && later && (
              <p>
                <later.Linked text={state.unable} />
              </p>
            )}
          </div>
          {/* Whoever is in danger is not told how many letters are missing. */}
          {later && state.step === 'investigative_questions' && !state.helped && (
            <later.Counter text={state.text} least={boot.minimum} />
          )}
          {later && own?.kind === 'text' && own.max && <later.Counter text={state.text} most={own.max} />}
          {later && boot.attachments && state.conversation && isTold(state.step) && (
            <later.Attach
              limits={boot.attachments}
              token={state.conversation}
              last={isLastStep(state.step)}
              hold={hold}
            />
          )}
        </div>
        {skippable && (
          <Act
            className={styles.skip}
            disabled={busy}
            onClick={() => press({ type: 'submitted', text: skip })}
          >
            {skip}
          </Act>
        )}
        {written && (
          <Act
            type="submit"
            className={styles.go}
            main={!held}
            disabled={blank || busy || state.lost}
            // Pressing the button must not take the focus from the field: the phone's keyboard would close.
            onPointerDown={(event) => event.preventDefault()}
          >
            {isLastStep(state.step) ? 'Invia' : 'Avanti'}
          </Act>
        )}
      </div>
      <div className={styles.under}>
        <Act quiet popoverTarget="about">
          Chi legge?
        </Act>
        {!written && (
          <Act
            quiet
            disabled={busy}
            onClick={() => {
              flushSync(() => setWorded(state.step));
              toBox();
            }}
          >
            Scrivi tu
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
