/** The questions of a message and what was answered. Must never judge an answer: the server does. */
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { ApiProblem } from '../../shared/api/errors';
import type { Message } from '../../shared/api/schema';
import { now } from '../../shared/lib/clock';
import { formatDate, formatDateTime } from '../../shared/lib/dates';
import { announce } from '../../shared/ui/announcer';
import { Act } from '../act';
import styles from './asked.module.css';
import follow from './follow.module.css';
import { choicesOf, Question } from './question';
import type { Entered, InVisit } from './thread';
import { answer, look, useAct } from './visit';

export { Consenting, Permissions } from './consents';

interface Props extends InVisit {
  message: Message;
  /** What was entered and not sent. */
  entered: Entered | undefined;
  onEnter: (entered: Entered | undefined) => void;
  /** Moves what can no longer be sent as an answer into the box of the next message. */
  onTell: (text: string) => void;
}

type Faults = Readonly<Record<string, string>>;

/** What was answered, as the fields of the form hold it. */
function answered({ questions, answers }: Message): Entered {
  const fields = questions.map(({ key }) => {
    const given = answers?.data.find((one) => one.key === key);
    if (given === undefined) {
      return [key, []] as const;
    }
    switch (given.kind) {
      case 'yes_no':
        return [key, [given.value === true ? 'si' : 'no']] as const;
      case 'choice':
      case 'choices':
        return [key, [given.value].flat().map(String)] as const;
      default:
        return [key, [given.text]] as const;
    }
  });
  return Object.fromEntries(fields);
}

/** What was entered otherwise than it was answered: the rest may have been answered on another page since. */
function changed(message: Message, entered: Entered): Entered {
  const before = answered(message);
  const isOther = ([key, value]: [string, readonly string[]]) =>
    message.answers === null || before[key]?.join('\n') !== value.join('\n');
  return Object.fromEntries(Object.entries(entered).filter(isOther));
}

/** What was wrong, by question. */
function faultsOf(error: unknown): Faults {
  const wrong = error instanceof ApiProblem ? Object.entries(error.errors) : [];
  return Object.fromEntries(wrong.map(([field, why]) => [field.replace('answers.', ''), why]));
}

const hasFaults = (faults: Faults) => Object.keys(faults).length > 0;

export function Questions(props: Props) {
  const { message, entered, onEnter } = props;
  /** The question to begin at, where one is to be answered otherwise. */
  const [first, setFirst] = useState('');
  const [back, setBack] = useState(false);
  const change = (key: string) => {
    setFirst(key);
    setBack(false);
    onEnter(answered(message));
  };
  if (message.answers === null || entered !== undefined) {
    return <QuestionsForm {...props} entered={entered ?? {}} first={first} onBack={() => setBack(true)} />;
  }
  return <Answered message={message} fresh={back} onChange={change} />;
}

interface FormProps extends Props {
  entered: Entered;
  first: string;
  /** The form is done with, and the focus goes where that is said. */
  onBack: () => void;
}

function QuestionsForm({ message, entered, first, onEnter, onTell, onReceipt, onOver, onBack }: FormProps) {
  const { id, questions, answers } = message;
  const before = answered(message);
  const form = useRef<HTMLFormElement>(null);
  const [faults, setFaults] = useState<Faults>({});
  const { busy, failure, run } = useAct(onOver);
  // The first field of a question stands first among those of its name.
  const focusOn = (key: string) =>
    form.current?.querySelector<HTMLElement>(`[name="${CSS.escape(`${id}.${key}`)}"]`)?.focus();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as the form appears
  useEffect(() => {
    if (first !== '') {
      focusOn(first);
    }
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal
  useEffect(() => {
    const wrong = questions.find(({ key }) => faults[key] !== undefined);
    if (wrong) {
      focusOn(wrong.key);
    }
  }, [faults]);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (busy) {
      return;
    }
    setFaults({});
    void run(
      (signal) =>
        answer(message, changed(message, entered), signal).catch(async (error: unknown) => {
          setFaults(faultsOf(error));
          if (error instanceof ApiProblem && error.status === 409) {
            // They were read meanwhile, which the page finds out by itself where this fails.
            await look(signal).then(onReceipt, () => undefined);
          }
          throw error;
        }),
      (receipt) => {
        onBack();
        onEnter(undefined);
        onReceipt(receipt);
        announce('Risposte inviate.');
      },
    );
  };
  const tell = () => {
    const told = questions.map((question) => {
      const options = choicesOf(question);
      const said = entered[question.key]?.map((one) => options.find(({ key }) => key === one)?.text ?? one);
      return said?.some((one) => one !== '') ? `${question.text}\n${said.join(', ')}` : '';
    });
    onTell(told.filter((text) => text !== '').join('\n\n'));
  };
  // A line of its own is no form to be sent.
  const stay = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) {
      event.preventDefault();
    }
  };
  return (
    <form ref={form} className={styles.form} onSubmit={send} onKeyDown={stay}>
      {questions.map((question, place) => (
        <Question
          key={question.key}
          question={question}
          name={`${id}.${question.key}`}
          place={`${place + 1} di ${questions.length}`}
          value={entered[question.key] ?? before[question.key] ?? []}
          fault={faults[question.key] ?? ''}
          onChange={(value) => onEnter({ ...entered, [question.key]: value })}
        />
      ))}
      <div className={styles.foot}>
        <p className={follow.wrong} role="alert">
          {hasFaults(faults) ? '' : failure}
        </p>
        {answers?.read ? (
          <p>
            La redazione ha letto le risposte di prima: queste puoi mandarle in un messaggio.{' '}
            <Act onClick={tell}>Metti nel messaggio</Act>
          </p>
        ) : (
          <>
            <p className={follow.quiet}>Puoi lasciare vuoto quello che non sai.</p>
            <Act type="submit" main aria-disabled={busy}>
              {busy ? 'Invio…' : 'Invia le risposte'}
            </Act>
          </>
        )}
        {answers && (
          <Act
            quiet
            onClick={() => {
              onBack();
              onEnter(undefined);
            }}
          >
            Lascia come prima
          </Act>
        )}
      </div>
    </form>
  );
}

interface AnsweredProps {
  message: Message;
  /** Their form has just been done with. */
  fresh: boolean;
  onChange: (key: string) => void;
}

/** `alle 9:31` of today, else `il 28/11/2026 alle 9:31`. */
function timeOf(at: string): string {
  const [day = '', time = ''] = formatDateTime(at).split(' ');
  const today = formatDate(new Date(now()).toISOString());
  return `${day === today ? '' : `il ${day} `}alle ${time}`;
}

function Answered({ message: { questions, answers }, fresh, onChange }: AnsweredProps) {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (fresh) {
      line.current?.focus();
    }
  }, [fresh]);
  if (answers === null) {
    return null;
  }
  return (
    <div className={styles.form}>
      <dl>
        {questions.map(({ key, text }) => {
          const given = answers.data.find((one) => one.key === key);
          return (
            <div key={key} className={styles.question}>
              <dt>{text}</dt>
              <dd>
                {given ? <span translate="no">{given.text}</span> : <small>Saltata</small>}
                {answers.read || (
                  <Act quiet onClick={() => onChange(key)}>
                    {given ? 'Cambia' : 'Rispondi'}
                    <span className="visually-hidden"> ({text})</span>
                  </Act>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
      <p ref={line} className={styles.sent} tabIndex={-1}>
        {`Inviate ${timeOf(answers.at)}. ${
          answers.read
            ? 'La redazione le ha lette: per aggiungere qualcosa scrivi un messaggio.'
            : 'Si cambiano finché la redazione non le legge.'
        }`}
      </p>
    </div>
  );
}
