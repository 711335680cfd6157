import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { ApiProblem } from '../../shared/api/errors';
import type { Phrases } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';
import { Message } from '../../shared/ui/message';
import { TextInput } from '../../shared/ui/text-input';
import { useBranding } from '../common/branding';
import { FaultText } from '../common/error-card';
import { Phone } from './phone';
import { type Rehearsal, STEPS } from './rehearsal';
import styles from './rehearsal-dialog.module.css';
import { type PhraseKey, sectionWith } from './sections';
import { useRehearsal } from './use-rehearsal';

interface RehearsalDialogProps {
  /** The phrases as they are typed. */
  prompts: Phrases;
  onClose: () => void;
  /** Closes, and shows the text of that name. */
  onGoTo: (key: PhraseKey) => void;
}

/** 'Prova la chat': the conversation as a reporter would have it, in phrases that are not saved yet. */
export function RehearsalDialog({ prompts, onClose, onGoTo }: RehearsalDialogProps) {
  const { rehearsal, busy, failure, start, say } = useRehearsal(prompts);
  const [text, setText] = useState('');
  const box = useRef<HTMLInputElement>(null);
  const step = STEPS[rehearsal.state];

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the dialog opens
  useEffect(start, []);

  const send = async (event: FormEvent) => {
    event.preventDefault();
    const answer = text.trim();
    if (answer !== '' && !busy && (await say(answer))) {
      setText('');
      box.current?.focus();
    }
  };
  const restart = () => {
    setText('');
    start();
    box.current?.focus();
  };

  return (
    <Dialog
      open
      title="Prova la chat"
      onCancel={onClose}
      initialFocus={box}
      actions={
        <>
          <Button inactive={busy} onClick={restart}>
            Ricomincia
          </Button>
          <Button onClick={onClose}>Chiudi</Button>
        </>
      }
    >
      <p className={styles.about}>
        Le frasi sono quelle che vedi nella pagina, anche se non le hai ancora salvate. Nulla di ciò che
        scrivi qui viene registrato.
      </p>
      <Phone>
        <Transcript rehearsal={rehearsal} busy={busy} />
        {rehearsal.finished ? (
          <p className={styles.end} role="status">
            La conversazione finisce qui. È una prova: nessuna segnalazione è stata creata.
          </p>
        ) : (
          <form className={styles.composer} onSubmit={(event) => void send(event)}>
            <label className={styles.label} htmlFor="prova">
              {step.label}
            </label>
            <TextInput
              id="prova"
              ref={box}
              autoComplete="off"
              placeholder="Scrivi la tua risposta..."
              readOnly={busy}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
            <div className={styles.buttons}>
              <Button variant="quiet" inactive={busy} onClick={() => setText(step.sample)}>
                Usa un esempio
              </Button>
              <Button type="submit" variant="primary" inactive={busy || text.trim() === ''}>
                Invia
              </Button>
            </div>
          </form>
        )}
      </Phone>
      {failure ? <Failure failure={failure} onGoTo={onGoTo} /> : null}
    </Dialog>
  );
}

function Transcript({ rehearsal, busy }: { rehearsal: Rehearsal; busy: boolean }) {
  const { assistantName } = useBranding();
  const region = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new bubble, and for the dots
  useEffect(() => {
    region.current?.scrollTo({ top: region.current.scrollHeight });
  }, [rehearsal, busy]);

  return (
    <div
      className={styles.screen}
      ref={region}
      role="log"
      aria-label="Conversazione di prova"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
      tabIndex={0}
    >
      <ol className="bubbles">
        {rehearsal.said.map((said, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: bubbles are only ever added at the end
          <li key={index} className="bubble" data-from={said.from}>
            <span className="visually-hidden">{said.from === 'user' ? 'Tu: ' : `${assistantName}: `}</span>
            <p className="bubble-text">{said.text}</p>
          </li>
        ))}
        {busy ? (
          <li className="bubble" data-from="bot" aria-hidden="true">
            <span className="typing">
              <i className="typing-dot" />
              <i className="typing-dot" />
              <i className="typing-dot" />
            </span>
          </li>
        ) : null}
      </ol>
    </div>
  );
}

/** Why there is no answer. Phrases that cannot be said are named, and lead to where they are put right. */
function Failure({ failure, onGoTo }: { failure: unknown; onGoTo: (key: PhraseKey) => void }) {
  const id = useId();
  const wrong = failure instanceof ApiProblem ? Object.entries(failure.errors) : [];
  if (wrong.length === 0) {
    return (
      <div className={styles.failure}>
        <Message kind="error" title="La prova si è interrotta">
          <FaultText error={failure} />
        </Message>
      </div>
    );
  }
  return (
    <div className={styles.failure}>
      <Message kind="error" title="Alcune frasi non si possono usare così">
        <ul className={styles.wrong}>
          {wrong.map(([key, message]) => {
            const section = sectionWith(key);
            const phrase = section?.phrases.find((one) => one.key === key);
            return (
              <li key={key}>
                <p id={`${id}-${key}`}>{message}</p>
                {section && phrase ? (
                  <Button aria-describedby={`${id}-${key}`} onClick={() => onGoTo(phrase.key)}>
                    {section.label}: {phrase.label}
                  </Button>
                ) : null}
              </li>
            );
          })}
        </ul>
      </Message>
    </div>
  );
}
