import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { call } from '../../shared/api/client';
import { ApiProblem } from '../../shared/api/errors';
import type { ChatReply, Phrases } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { TextInput } from '../../shared/ui/text-input';
import { useAction } from '../common/action';
import { FaultText } from '../common/error-card';
import { Bubble, Phone, type Said } from './preview';
import styles from './rehearsal-dialog.module.css';
import { type PhraseKey, sectionWith } from './sections';

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
      <Stack gap={4}>
        <Text tone="muted" small>
          Le frasi sono quelle che vedi nella pagina, anche se non le hai ancora salvate. Nulla di ciò che
          scrivi qui viene registrato.
        </Text>
        <Phone>
          <Transcript rehearsal={rehearsal} busy={busy} />
          {rehearsal.finished ? (
            <Text strong className={styles.composer} role="status">
              La conversazione finisce qui. È una prova: nessuna segnalazione è stata creata.
            </Text>
          ) : (
            <Stack
              as="form"
              gap={2}
              className={styles.composer}
              onSubmit={(event: FormEvent) => void send(event)}
            >
              <Text as="label" small strong htmlFor="prova">
                {step.label}
              </Text>
              <TextInput
                id="prova"
                ref={box}
                autoComplete="off"
                placeholder="Scrivi la tua risposta..."
                readOnly={busy}
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
              <Row gap={2} justify="between">
                <Button variant="quiet" inactive={busy} onClick={() => setText(step.sample)}>
                  Usa un esempio
                </Button>
                <Button type="submit" variant="primary" inactive={busy || text.trim() === ''}>
                  Invia
                </Button>
              </Row>
            </Stack>
          )}
        </Phone>
        {failure ? <Failure failure={failure} onGoTo={onGoTo} /> : null}
      </Stack>
    </Dialog>
  );
}

function Transcript({ rehearsal, busy }: { rehearsal: Rehearsal; busy: boolean }) {
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
          <Bubble key={index} {...said} />
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
      <Message kind="error" title="La prova si è interrotta">
        <FaultText error={failure} />
      </Message>
    );
  }
  return (
    <Message kind="error" title="Alcune frasi non si possono usare così">
      <Stack as="ul">
        {wrong.map(([key, message]) => {
          const section = sectionWith(key);
          const phrase = section?.phrases.find((one) => one.key === key);
          return (
            <Stack as="li" gap={2} align="start" key={key}>
              <p id={`${id}-${key}`}>{message}</p>
              {section && phrase ? (
                <Button aria-describedby={`${id}-${key}`} onClick={() => onGoTo(phrase.key)}>
                  {section.label}: {phrase.label}
                </Button>
              ) : null}
            </Stack>
          );
        })}
      </Stack>
    </Message>
  );
}

type ChatState = ChatReply['state'];

interface Rehearsal {
  said: readonly Said[];
  state: ChatState;
  /** Token of the last answer; undefined before the first. */
  conversation: string | undefined;
  finished: boolean;
}

const NOT_STARTED: Rehearsal = {
  said: [],
  state: 'age_check',
  conversation: undefined,
  finished: false,
};

/** The run-through after an answer, and after what was said to get it. */
function replied(before: Rehearsal, text: string | undefined, reply: ChatReply): Rehearsal {
  const asked: Said[] = text === undefined ? [] : [{ from: 'user', text }];
  const answers = reply.messages.map((message): Said => ({ from: 'bot', text: message.text }));
  return {
    said: [...before.said, ...asked, ...answers],
    state: reply.state,
    conversation: reply.conversation,
    finished: reply.finished,
  };
}

/** What the box is called, and an answer that the rules accept, so that one can step through without typing. */
const STEPS: Readonly<Record<ChatState, { label: string; sample: string }>> = {
  age_check: { label: 'Età', sample: '34' },
  collect_name: { label: 'Nome', sample: 'Giulia' },
  collect_surname: { label: 'Cognome', sample: 'Esempio' },
  collect_phone: { label: 'Cellulare', sample: '3123456789' },
  collect_email: { label: 'Email', sample: 'giulia@esempio.example' },
  collect_address: { label: 'Indirizzo', sample: 'Via di Prova 1, 00100 Roma' },
  investigative_questions: {
    label: 'Racconto',
    sample:
      'Da marzo nella mensa della scuola servono piatti scaduti: ho le fotografie delle etichette e due persone sono disposte a parlare.',
  },
  collect_report: { label: 'Altre informazioni', sample: 'no' },
  final_question: { label: 'Risposta', sample: 'no' },
};

interface RehearsalTalk {
  rehearsal: Rehearsal;
  busy: boolean;
  failure: unknown;
  /** Begins anew. */
  start: () => void;
  /** False when the server could not answer. */
  say: (text: string) => Promise<boolean>;
}

/** Talks with the assistant in the phrases as they are typed. Nothing of it is kept anywhere. */
function useRehearsal(prompts: Phrases): RehearsalTalk {
  const [rehearsal, setRehearsal] = useState(NOT_STARTED);
  const { busy, failure, run } = useAction();
  const turn = (before: Rehearsal, text?: string) =>
    run(async () => {
      const { conversation } = before;
      const body = {
        prompts,
        ...(conversation === undefined ? {} : { conversation }),
        ...(text === undefined ? {} : { text }),
      };
      setRehearsal(replied(before, text, await call('post', '/prompts/try', { body })));
      return null;
    });
  const start = () => {
    setRehearsal(NOT_STARTED);
    void turn(NOT_STARTED);
  };
  return { rehearsal, busy, failure, start, say: (text) => turn(rehearsal, text) };
}
