import { useEffect, useRef, useState } from 'react';
import { call } from '../../shared/api/client';
import type { Callout, ChatReply, Phrases, QuestionKind, Rehearsal } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';
import { Form } from '../../shared/ui/form';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { TextField } from '../../shared/ui/text-field';
import { Failure, useAction } from '../common/action';
import { isProblem } from '../common/errors';
import { QUESTIONS } from '../common/report-fields';
import { Bubble, Phone, type Utterance } from './preview';
import styles from './rehearsal-dialog.module.css';

interface RehearsalDialogProps {
  /** The object of the trial: the phrases, or a callout with the saved phrases. */
  subject: { prompts: Partial<Phrases>; callout?: Callout };
  onClose: () => void;
  /** The server refuses phrases, by their names; true where they can be put right. */
  onRefused: (errors: Readonly<Record<string, string>>) => boolean;
}

/** 'Prova la chat': the conversation as a reporter would have it, in phrases or questions that are not saved yet. */
export function RehearsalDialog({ subject, onClose, onRefused }: RehearsalDialogProps) {
  const [said, setSaid] = useState<readonly Utterance[]>([]);
  const [reply, setReply] = useState<ChatReply | null>(null);
  const [text, setText] = useState('');
  const box = useRef<HTMLInputElement>(null);
  const action = useAction();
  const { busy } = action;
  const step = stepOf(reply);

  const turn = (answered: Utterance[], next: object) =>
    action.run(async () => {
      try {
        const answer = await call('post', '/prompts/try', { body: { ...subject, ...next } as Rehearsal });
        const bubbles = answer.messages.map((message): Utterance => ({ from: 'bot', text: message.text }));
        setReply(answer);
        setSaid([...answered, ...bubbles]);
      } catch (error) {
        if (!isProblem(error, 'dati-non-validi') || !onRefused(error.errors)) {
          throw error;
        }
      }
    });
  const start = () => {
    setReply(null);
    setSaid([]);
    setText('');
    void turn([], {});
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the dialog opens
  useEffect(start, []);

  const send = async (typed = text) => {
    const answer = typed.trim();
    const next = { text: answer, ...(reply && { conversation: reply.conversation }) };
    if (answer !== '' && (await turn([...said, { from: 'user', text: answer }], next))) {
      setText('');
      box.current?.focus();
    }
  };
  const restart = () => {
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
          {subject.callout ? 'Le domande' : 'Le frasi'} sono quelle che vedi nella pagina, anche se non le hai
          ancora salvate. Nulla di ciò che scrivi qui viene registrato.
        </Text>
        <Phone>
          <Transcript said={said} busy={busy} />
          {reply?.finished ? (
            <Text strong className={styles.composer} role="status">
              La conversazione finisce qui. È una prova: nessuna segnalazione è stata creata.
            </Text>
          ) : (
            <Form gap={2} className={styles.composer} onSubmit={() => send()}>
              {step.choices.length > 0 ? (
                <Row gap={2} role="group" aria-label="Risposte">
                  {step.choices.map((choice) => (
                    <Button key={choice} inactive={busy} onClick={() => void send(choice)}>
                      {choice}
                    </Button>
                  ))}
                </Row>
              ) : null}
              <TextField
                label={step.label}
                ref={box}
                placeholder="Scrivi la tua risposta..."
                readOnly={busy}
                value={text}
                onValue={setText}
              />
              <Row gap={2} justify="between">
                <Button variant="quiet" inactive={busy} onClick={() => setText(step.sample)}>
                  Usa un esempio
                </Button>
                <Button type="submit" variant="primary" inactive={busy || text.trim() === ''}>
                  Invia
                </Button>
              </Row>
            </Form>
          )}
        </Phone>
        <Failure of={action} title="La prova si è interrotta" />
      </Stack>
    </Dialog>
  );
}

const SAMPLES: Partial<Record<QuestionKind, string>> = { number: '1', date: '01/03/2026' };

/** The open question; one of the newsroom's own has its answers as buttons. */
function stepOf(reply: ChatReply | null): { label: string; sample: string; choices: readonly string[] } {
  const { key, kind = 'text', options = [], required } = reply?.question ?? {};
  const known = QUESTIONS[reply?.state ?? 'age_check'];
  if (known && !key) {
    return { ...known, choices: [] };
  }
  const choices = options.map(({ text }) => text);
  const sample = choices[0] ?? SAMPLES[kind] ?? 'Una risposta di prova.';
  return { label: 'Risposta', sample, choices: required ? choices : [...choices, 'Salta'] };
}

function Transcript({ said, busy }: { said: readonly Utterance[]; busy: boolean }) {
  const region = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new bubble, and for the dots
  useEffect(() => {
    region.current?.scrollTo({ top: region.current.scrollHeight });
  }, [said, busy]);

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
        {said.map((bubble, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: bubbles are only ever added at the end
          <Bubble key={index} {...bubble} />
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
