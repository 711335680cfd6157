/** The questions that go with a message, a line each, of which one is open at a time. They lead nowhere. */
import { Plus, X } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import type { CalloutDetail, CalloutQuestion } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { SelectField } from '../../shared/ui/select';
import { useKnownCallouts } from '../common/callouts';
import { errorsOf } from '../common/errors';
import { useToast } from '../common/toast';
import styles from './callouts.module.css';
import * as draft from './draft';
import { AddOption, hidden, Options, type Put } from './options';
import { Asking, Line } from './question-line';
import { useLead } from './use-lead';

type Questions = readonly CalloutQuestion[];

export interface Asked {
  questions: Questions;
  onQuestions: (change: (now: Questions) => Questions) => void;
}

interface AskingParts {
  /** The questions, below the text. */
  list: ReactNode;
  /** How one more comes, in the line that sends. */
  more: ReactNode;
}

/** `failure`: why the message was refused; it leads to the first question that is wrong. */
export function useAsking({ questions, onQuestions }: Asked, failure: unknown): AskingParts {
  const way = useLead(questions, undefined);
  const { show } = useToast();
  const errors = errorsOf(failure);
  const wrong = new Map(Object.entries(errors));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal
  useEffect(() => {
    const first = [...wrong.keys()].find(draft.placeOf);
    if (first) {
      way.lead(first, questions);
    }
  }, [failure]);
  const field = (name: string) => ({ name, error: errors[name] });
  const change = (next: Questions, focus: string) => {
    onQuestions(() => next);
    way.lead(focus, next);
  };
  const full = questions.length >= draft.MOST_ASKED;
  const add = () =>
    full || change(draft.withQuestion(questions, 'text'), `questions.${questions.length}.text`);
  const drop = (at: number) => {
    change(draft.withoutQuestion(questions, at), 'questions');
    show({
      text: `Domanda ${at + 1} tolta`,
      undo: async () => onQuestions((now) => draft.withAgain(now, questions, at).slice(0, draft.MOST_ASKED)),
    });
  };
  const take = (callout: CalloutDetail | undefined) => {
    if (!callout) {
      return;
    }
    const next = draft.ofCallout(callout);
    const [taken, all] = [next.length, callout.questions.length];
    change(next, 'questions');
    if (taken < all) {
      show({ text: `Le prime ${taken} di ${all} da «${callout.title}»` });
    }
  };
  const put =
    (question: CalloutQuestion, at: number): Put =>
    (part, focus) => {
      const next = questions.with(at, { ...question, ...part });
      onQuestions(() => next);
      if (focus) {
        way.lead(`questions.${at}.${focus}`, next);
      }
    };
  const rowOf = (question: CalloutQuestion, at: number) => {
    const { key, kind, options } = question;
    const of = { question, at, field, put: put(question, at) };
    const listed = draft.isListed(kind);
    /** From one question to the next, and to a new one behind the last. */
    const next = () =>
      at + 1 < questions.length
        ? way.lead(`questions.${at + 1}.text`, questions)
        : question.text.trim() && add();
    return (
      <li key={key}>
        <div className={styles.row} data-open={key === way.opened || undefined}>
          <span>{at + 1}</span>
          {key === way.opened ? (
            <>
              <Asking {...of} {...(!listed && { onNext: next })} />
              <SelectField
                label={hidden(`Risposta alla domanda ${at + 1}`)}
                options={draft.KINDS}
                value={kind}
                onValue={(to) => of.put(draft.withKind(question, to))}
              />
              <Button
                variant="icon"
                aria-label={`Togli la domanda ${at + 1}`}
                icon={<X />}
                onClick={() => drop(at)}
              />
            </>
          ) : (
            <Line
              {...{ question, at }}
              lack={draft.lackOf(wrong, at)}
              note={listed ? `, ${options.length}` : ''}
              onOpen={() => way.lead(`questions.${at}.text`, questions)}
            />
          )}
        </div>
        {key === way.opened && listed ? (
          <div className={styles.form}>
            <Options {...of} />
            <div className={styles.tools}>
              <AddOption {...of} />
            </div>
          </div>
        ) : null}
      </li>
    );
  };
  return {
    list:
      questions.length > 0 ? (
        <ol className={`${styles.questions} ${styles.asked}`} aria-label="Domande">
          {questions.map(rowOf)}
        </ol>
      ) : null,
    more: (
      <div className={styles.more}>
        <Button name="questions" variant="quiet" icon={<Plus />} inactive={full} onClick={add}>
          Domanda
        </Button>
        {questions.length > 0 ? (
          <span>{`${questions.length} di ${draft.MOST_ASKED}`}</span>
        ) : (
          <FromCallout onTake={take} />
        )}
      </div>
    ),
  };
}

function FromCallout({ onTake }: { onTake: (callout: CalloutDetail | undefined) => void }) {
  const callouts = useKnownCallouts().filter(({ questions }) => questions.length > 0);
  const options = callouts.map(({ id, title }) => ({ value: id, label: title }));
  return options.length > 0 ? (
    <SelectField
      label={hidden('Domande di un’inchiesta')}
      value=""
      options={[{ value: '', label: 'Da un’inchiesta…' }, ...options]}
      onValue={(chosen) => onTake(callouts.find(({ id }) => id === chosen))}
    />
  ) : null;
}
