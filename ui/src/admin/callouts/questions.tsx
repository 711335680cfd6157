import { ArrowDown, ArrowUp, GripVertical, Plus, Trash2, X } from 'lucide-react';
import { type DragEvent, type KeyboardEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { CalloutOption, CalloutQuestion } from '../../shared/api/schema';
import { announce } from '../../shared/ui/announcer';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Checkbox } from '../../shared/ui/checkbox';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { SelectField } from '../../shared/ui/select';
import { TextField } from '../../shared/ui/text-field';
import styles from './callouts.module.css';
import * as draft from './draft';
import type { FieldsProps } from './fields';

/** Changes the questions, then gives the focus to the field of that name, which may just have been drawn. */
type Change = (questions: CalloutQuestion[], focus?: string) => void;

export function Questions({ now: { questions }, field, type }: FieldsProps) {
  const area = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const change: Change = (next, focus) => {
    flushSync(() => type({ questions: next }));
    area.current?.querySelector<HTMLElement>(`[name="${focus}"]`)?.focus();
  };
  const move = (from: number, to: number, button: 'up' | 'down') => {
    change(draft.moved(questions, from, to), `${button}.${to}`);
    announce(`Ora è la domanda ${to + 1} di ${questions.length}.`);
  };
  return (
    <Card title="Domande" aside={<Text tone="muted" small>{`${questions.length} di ${draft.MOST}`}</Text>}>
      <Stack gap={4} ref={area}>
        <p>Prima di queste la chat chiede l’età; dopo, il racconto e i dati personali scelti più sotto.</p>
        <Stack as="ol" gap={4} aria-label="Domande">
          {questions.map((question, at) => {
            const tools = [
              ['up', 'Sposta su', ArrowUp, at > 0, () => move(at, at - 1, 'up')],
              ['down', 'Sposta giù', ArrowDown, at < questions.length - 1, () => move(at, at + 1, 'down')],
              [
                'drop',
                'Togli',
                Trash2,
                true,
                () => change(draft.withoutQuestion(questions, at), 'questions'),
              ],
            ] as const;
            return (
              <li
                key={question.key}
                className={styles.question}
                onDragOver={(event: DragEvent) => dragged !== null && event.preventDefault()}
                onDrop={() => dragged !== null && dragged !== at && move(dragged, at, 'up')}
              >
                <Row justify="between" gap={1}>
                  <Row
                    gap={1}
                    className={styles.grip}
                    draggable
                    title="Trascina per cambiare posto"
                    onDragStart={() => setDragged(at)}
                    onDragEnd={() => setDragged(null)}
                  >
                    <GripVertical aria-hidden="true" />
                    <h3>Domanda {at + 1}</h3>
                  </Row>
                  <Row gap={1}>
                    {tools.map(([name, words, Icon, able, onClick]) => (
                      <Button
                        key={name}
                        variant="icon"
                        aria-label={`${words} la domanda ${at + 1}`}
                        {...{ name: `${name}.${at}`, icon: <Icon />, inactive: !able, onClick }}
                      />
                    ))}
                  </Row>
                </Row>
                <Question {...{ question, at, questions, field, change }} />
              </li>
            );
          })}
        </Stack>
        <Row gap={2} role="group" aria-label="Aggiungi una domanda">
          <Text strong>Aggiungi:</Text>
          {draft.KINDS.map(({ value, label }) => (
            <Button
              key={value}
              {...{ name: 'questions', icon: <Plus />, inactive: questions.length >= draft.MOST }}
              onClick={() =>
                change(draft.withQuestion(questions, value), `questions.${questions.length}.text`)
              }
            >
              {label}
            </Button>
          ))}
        </Row>
        <p className={styles.fault}>{field('questions').error}</p>
      </Stack>
    </Card>
  );
}

interface QuestionProps extends Pick<FieldsProps, 'field'> {
  question: CalloutQuestion;
  at: number;
  questions: readonly CalloutQuestion[];
  change: Change;
}

const onEnter = (work: () => unknown) => (event: KeyboardEvent) => {
  if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
    work();
  }
};

function Question({ question, at, questions, field, change }: QuestionProps) {
  const { kind, text, help, required } = question;
  const place = `questions.${at}`;
  const put = (part: Partial<CalloutQuestion>, focus?: string) =>
    change(questions.with(at, { ...question, ...part }), focus && `${place}.${focus}`);
  const limit = (name: 'min' | 'max', label: string) => (
    <TextField
      {...{ label, type: 'number', ...field(`${place}.${name}`) }}
      value={String(question[name] ?? '')}
      onValue={(typed) => put({ [name]: typed ? Math.trunc(Number(typed)) : null })}
    />
  );
  return (
    <Stack gap={4}>
      <div className={styles.pair}>
        <TextField
          label="Domanda"
          {...field(`${place}.text`)}
          value={text}
          onKeyDown={onEnter(() => put({}, 'options.0.text'))}
          onValue={(value) => put({ text: value })}
        />
        <SelectField
          label="Tipo di risposta"
          {...field(`${place}.kind`)}
          value={kind}
          options={draft.KINDS}
          onValue={(value) => put(draft.withKind(question, value))}
        />
      </div>
      {['choice', 'choices', 'yes_no'].includes(kind) ? (
        <Options {...{ question, at, questions, field, put }} />
      ) : null}
      <div className={styles.pair}>
        <TextField
          label="Riga d’aiuto (facoltativa)"
          {...field(`${place}.help`)}
          value={help}
          onValue={(value) => put({ help: value })}
        />
        {kind === 'text' || kind === 'number' ? (
          <div className={styles.limits}>
            {limit('min', kind === 'text' ? 'Caratteri, da' : 'Numero, da')}
            {limit('max', 'a')}
          </div>
        ) : null}
      </div>
      <Checkbox checked={required} onChange={(value) => put({ required: value })}>
        Obbligatoria
      </Checkbox>
    </Stack>
  );
}

interface OptionsProps extends Omit<QuestionProps, 'change'> {
  put: (part: Partial<CalloutQuestion>, focus?: string) => void;
}

/** The answers to choose from, and where each leads. */
function Options({ question, at, questions, field, put }: OptionsProps) {
  const { kind } = question;
  const options = draft.optionsOf(question);
  const fixed = kind === 'yes_no';
  const full = options.length >= draft.MOST;
  const place = `questions.${at}.options`;
  const alter = (n: number, part: Partial<CalloutOption>) =>
    put({ options: options.map((option, one) => (one === n ? { ...option, ...part } : option)) });
  const add = (n: number) => full || put({ options: draft.withOption(options, n) }, `options.${n}.text`);
  /** To the next one, where it waits for its text; else to another. */
  const goOn = (n: number) => (options[n + 1]?.text === '' ? put({}, `options.${n + 1}.text`) : add(n + 1));
  return (
    <Stack as="ol" gap={2} aria-label="Risposte possibili">
      {options.map(({ key, text, next }, n) => {
        const name = fixed ? text : `Risposta ${n + 1}`;
        const ends = next?.startsWith(draft.END) ?? false;
        return (
          <Row as="li" key={key} gap={2} align="start" className={styles.option}>
            {fixed ? null : (
              <TextField
                label={name}
                {...field(`${place}.${n}.text`)}
                value={text}
                onKeyDown={onEnter(() => text.trim() && goOn(n))}
                onValue={(value) => alter(n, { text: value })}
              />
            )}
            {kind === 'choices' ? null : (
              <SelectField
                label={`${name}, poi`}
                {...field(`${place}.${n}.next`)}
                value={ends ? draft.END : (next ?? '')}
                options={draft.routesFrom(questions, at, next)}
                onValue={(value) => alter(n, { next: value || null })}
              />
            )}
            {ends ? (
              <TextField
                label={`${name}, testo finale: non resta nulla`}
                value={next?.slice(draft.END.length) ?? ''}
                onValue={(words) => alter(n, { next: draft.END + words })}
              />
            ) : null}
            {fixed ? null : (
              <Button
                variant="icon"
                aria-label={`Togli la risposta ${n + 1}`}
                icon={<X />}
                onClick={() => put({ options: options.toSpliced(n, 1) }, 'text')}
              />
            )}
          </Row>
        );
      })}
      {fixed ? null : (
        <li>
          <Button
            name={place}
            variant="quiet"
            icon={<Plus />}
            inactive={full}
            onClick={() => add(options.length)}
          >
            Aggiungi una risposta
          </Button>
          <p className={styles.fault}>{field(place).error}</p>
        </li>
      )}
    </Stack>
  );
}
