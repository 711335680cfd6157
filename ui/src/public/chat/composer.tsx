/** Keeps the focus all along: while an answer is sent the box is read-only, as a disabled one would close the keyboard. */
import { type Dispatch, type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Boot } from '../../shared/lib/boot';
import type { Later } from '../use-later';
import styles from './composer.module.css';
import { type Conversation, type Event, isLastStep } from './conversation';
import { HINTS, positionOf, STEPS } from './field-hints';

type Props = {
  state: Conversation;
  boot: Boot;
  later: Later | null;
  dispatch: Dispatch<Event>;
  onRestart: () => void;
};

export function Composer({ state, boot, later, dispatch, onRestart }: Props) {
  const [touch, setTouch] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const hold = useRef<(() => boolean) | null>(null);
  const hint = HINTS[state.step];
  const busy = state.phase === 'sending';
  const blank = state.text.trim() === '';
  // A finger's keyboard has no Shift+Enter: there a story has paragraphs, and only the button sends it.
  const paragraphs = touch && hint.long;

  useEffect(() => setTouch(window.matchMedia('(pointer: coarse)').matches), []);

  useEffect(() => {
    const field = box.current;
    if (field === null) {
      return;
    }
    // What was typed before this script arrived is in the field, but not yet in the state.
    if (field.value !== '') {
      dispatch({ type: 'typed', text: field.value });
    }
    if (document.activeElement === document.body && window.matchMedia('(hover: hover)').matches) {
      field.focus({ preventScroll: true });
    }
  }, [dispatch]);

  // An answer that comes back is there to be corrected: the cursor waits at its end.
  const returned = state.failure !== '' || state.refusal !== '';
  useEffect(() => {
    if (returned && box.current !== null) {
      box.current.setSelectionRange(box.current.value.length, box.current.value.length);
    }
  }, [returned]);

  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (!hold.current?.()) {
      dispatch({ type: 'submitted' });
    }
    box.current?.focus();
  };

  const leave = () => {
    dispatch({ type: 'left' });
    box.current?.focus();
  };

  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !paragraphs && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      send();
    }
  };

  return (
    <form className={styles.form} onSubmit={send} data-long={hint.long || undefined}>
      <p className={styles.failure} id="answer-failure" role="alert">
        {state.failure}
      </p>
      {state.lost && (
        <button type="button" className="button" onClick={onRestart}>
          Ricomincia
        </button>
      )}
      <p className="visually-hidden" id="answer-refusal">
        {state.refusal}
      </p>
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
      <div className={styles.row}>
        <textarea
          ref={box}
          id="answer"
          className={styles.box}
          rows={1}
          placeholder="Scrivi la tua risposta..."
          value={state.text}
          onChange={(event) => dispatch({ type: 'typed', text: event.target.value })}
          onKeyDown={pressed}
          // Of an answer that may have arrived nothing is changed any more.
          readOnly={busy || state.unsure}
          aria-disabled={busy}
          aria-invalid={returned}
          aria-describedby={`answer-failure answer-refusal answer-blocked${hint.long ? ' answer-counter' : ''}`}
          inputMode={hint.inputMode}
          autoComplete={hint.autoComplete}
          autoCapitalize={hint.autoCapitalize}
          spellCheck={hint.long}
          enterKeyHint={paragraphs ? 'enter' : 'send'}
        />
        <button
          type="submit"
          className={styles.send}
          disabled={blank || busy || state.lost}
          // Pressing the button must not take the focus from the box: the phone's keyboard would close.
          onPointerDown={(event) => event.preventDefault()}
        >
          <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
            <path d="M4 12 20 4l-4.5 16-3.8-6.2z" fill="currentColor" />
          </svg>
          <span className="visually-hidden">Invia</span>
        </button>
      </div>
      {state.aside !== null && (
        <button type="button" className="button" data-quiet="" disabled={busy} onClick={leave}>
          Lascia com’è
        </button>
      )}
      <p id="answer-blocked" className={styles.failure}>
        {state.blocked}
      </p>
      {hint.long && later && (
        <later.Counter
          text={state.text}
          least={state.step === 'investigative_questions' ? boot.minimum : undefined}
        />
      )}
    </form>
  );
}
