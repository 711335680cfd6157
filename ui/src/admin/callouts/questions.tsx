/** The questions of a callout, a line each, of which one is open at a time. */
import { ArrowDown, ArrowUp, ChevronDown, Copy, Plus, Trash2 } from 'lucide-react';
import { type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { CalloutQuestion } from '../../shared/api/schema';
import { announce } from '../../shared/ui/announcer';
import { Button } from '../../shared/ui/button';
import { Text } from '../../shared/ui/layout';
import { useToast } from '../common/toast';
import { useShortcuts } from '../keyboard/keyboard-context';
import styles from './callouts.module.css';
import * as draft from './draft';
import type { FieldsProps } from './fields';
import type { Put } from './options';
import { QuestionForm } from './question-form';
import { Asking, Line } from './question-line';
import type { Way } from './use-lead';

interface QuestionsProps extends FieldsProps {
  lacks: draft.Lacking;
  way: Way;
}

export function Questions({ now: { questions }, field, type, lacks, way }: QuestionsProps) {
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const { show } = useToast();
  const present = useRef(questions);
  useEffect(() => {
    present.current = questions;
  }, [questions]);
  const full = questions.length >= draft.MOST;
  /** Changes them, then gives the focus to the field of that name, which may have to be drawn first. */
  const change = (next: CalloutQuestion[], focus?: string) => {
    type({ questions: next });
    if (focus !== undefined) {
      way.lead(focus, next);
    }
  };
  const add = () =>
    full || change(draft.withQuestion(questions, 'text'), `questions.${questions.length}.text`);
  const move = (from: number, to: number) => {
    if (to < 0 || to >= questions.length || to === from) {
      return;
    }
    const focused = document.activeElement;
    flushSync(() => type({ questions: draft.moved(questions, from, to) }));
    if (focused instanceof HTMLElement) {
      focused.focus();
    }
    announce(`Ora è la domanda ${to + 1} di ${questions.length}.`);
  };
  const drop = (at: number) => {
    change(draft.withoutQuestion(questions, at), 'questions');
    show({
      text: `Domanda ${at + 1} eliminata`,
      undo: async () => type({ questions: draft.withAgain(present.current, questions, at) }),
    });
  };
  useShortcuts('Nell’inchiesta', [
    { keys: 'q', label: 'Aggiungi una domanda', run: add },
    { keys: 'Alt+ArrowUp', label: 'Sposta su la domanda' },
    { keys: 'Alt+ArrowDown', label: 'Sposta giù la domanda' },
  ]);
  const rowOf = (question: CalloutQuestion, at: number) => {
    const { key } = question;
    const open = key === way.opened;
    const byKeys = (event: KeyboardEvent) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (by && event.altKey) {
        event.preventDefault();
        move(at, at + by);
      }
    };
    return (
      <li
        key={key}
        draggable={!open}
        data-over={over === at || undefined}
        onKeyDown={byKeys}
        onDragStart={() => setDragged(at)}
        onDragOver={(event: DragEvent) => {
          if (dragged !== null) {
            event.preventDefault();
            setOver(at);
          }
        }}
        onDragEnd={() => {
          setDragged(null);
          setOver(null);
        }}
        onDrop={() => dragged !== null && move(dragged, at)}
      >
        <div className={styles.row} data-open={open || undefined}>
          <span draggable title="Trascina per cambiare posto">
            {at + 1}
          </span>
          {open ? (
            <>
              <Asking {...{ question, at, field }} put={put(question, at)} />
              <Button
                variant="icon"
                aria-label={`Chiudi la domanda ${at + 1}`}
                aria-expanded
                icon={<ChevronDown />}
                onClick={() => way.open(null)}
              />
            </>
          ) : (
            <Line
              {...{ question, at }}
              lack={draft.lackOf(lacks, at)}
              onOpen={() => way.lead(`questions.${at}.text`, questions)}
            />
          )}
        </div>
        {open ? (
          <QuestionForm {...{ question, at, questions, field }} put={put(question, at)}>
            {toolsOf(at)}
          </QuestionForm>
        ) : null}
      </li>
    );
  };
  const put =
    (question: CalloutQuestion, at: number): Put =>
    (part, focus) =>
      change(questions.with(at, { ...question, ...part }), focus && `questions.${at}.${focus}`);
  const toolsOf = (at: number) => {
    const tools = [
      ['Sposta su', ArrowUp, at > 0, () => move(at, at - 1)],
      ['Sposta giù', ArrowDown, at < questions.length - 1, () => move(at, at + 1)],
    ] as const;
    return (
      <>
        {tools.map(([words, Icon, able, onClick]) => (
          <Button
            key={words}
            variant="icon"
            aria-label={`${words} la domanda ${at + 1}`}
            {...{ icon: <Icon />, inactive: !able, onClick }}
          />
        ))}
        <Button
          variant="quiet"
          icon={<Copy />}
          about={`la domanda ${at + 1}`}
          inactive={full}
          onClick={() => change(draft.withCopy(questions, at), `questions.${at + 1}.text`)}
        >
          Copia
        </Button>
        <Button variant="quiet" icon={<Trash2 />} about={`la domanda ${at + 1}`} onClick={() => drop(at)}>
          Elimina
        </Button>
      </>
    );
  };
  return (
    <section aria-label="Domande">
      <ol className={styles.questions} aria-label="Domande">
        {questions.map(rowOf)}
      </ol>
      <div className={styles.add}>
        <Button
          name="questions"
          variant="quiet"
          icon={<Plus />}
          aria-keyshortcuts="q"
          inactive={full}
          onClick={add}
        >
          Aggiungi una domanda
          <span aria-hidden="true" className={styles.key}>
            q
          </span>
        </Button>
        <Text tone="muted" small>
          {questions.length === 0
            ? 'Prima la chat chiede l’età; dopo le domande, il racconto e i dati che scegli.'
            : `${questions.length} di ${draft.MOST}`}
        </Text>
      </div>
      <p className={styles.fault}>{field('questions').error}</p>
    </section>
  );
}
