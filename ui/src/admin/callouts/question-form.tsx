/** The fields of the question that is open, below its text. */
import { Plus, X } from 'lucide-react';
import type { KeyboardEvent, ReactNode } from 'react';
import type { CalloutOption, CalloutQuestion } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Checkbox } from '../../shared/ui/checkbox';
import { SelectField } from '../../shared/ui/select';
import { TextField } from '../../shared/ui/text-field';
import styles from './callouts.module.css';
import * as draft from './draft';
import type { FieldsProps } from './fields';

export const hidden = (label: string) => <span className="visually-hidden">{label}</span>;

export const onEnter = (work: () => unknown) => (event: KeyboardEvent) => {
  if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
    work();
  }
};

interface FormProps extends Pick<FieldsProps, 'field'> {
  question: CalloutQuestion;
  at: number;
  questions: readonly CalloutQuestion[];
  put: (part: Partial<CalloutQuestion>, focus?: string) => void;
}

/** `children`: what is done with the question as a whole. */
export function QuestionForm({ children, ...props }: FormProps & { children: ReactNode }) {
  const { question, at, field, put } = props;
  const { kind, help, required } = question;
  const place = `questions.${at}`;
  const limit = (name: 'min' | 'max', label: string) => (
    <TextField
      {...{ label, type: 'number', ...field(`${place}.${name}`) }}
      value={String(question[name] ?? '')}
      onValue={(typed) => put({ [name]: typed ? Math.trunc(Number(typed)) : null })}
    />
  );
  const listed = kind === 'choice' || kind === 'choices';
  const full = question.options.length >= draft.MOST;
  return (
    <div className={styles.form}>
      <SelectField
        label="Risposta"
        {...field(`${place}.kind`)}
        value={kind}
        options={draft.KINDS}
        onValue={(value) => put(draft.withKind(question, value))}
      />
      <TextField
        label="Aiuto sotto la domanda"
        placeholder="facoltativo"
        {...field(`${place}.help`)}
        value={help}
        onValue={(value) => put({ help: value })}
      />
      {kind === 'text' || kind === 'number' ? (
        <>
          {limit('min', kind === 'text' ? 'Caratteri, da' : 'Numero, da')}
          {limit('max', 'a')}
        </>
      ) : null}
      {listed || kind === 'yes_no' ? <Options {...props} /> : null}
      {listed && field(`${place}.options`).error ? (
        <p className={styles.fault}>{field(`${place}.options`).error}</p>
      ) : null}
      <div className={styles.tools}>
        {listed ? (
          <Button
            name={`${place}.options`}
            variant="quiet"
            icon={<Plus />}
            inactive={full}
            onClick={() =>
              full ||
              put({ options: draft.withOption(question.options) }, `options.${question.options.length}.text`)
            }
          >
            Scelta
          </Button>
        ) : null}
        <Checkbox checked={required} onChange={(value) => put({ required: value })}>
          Obbligatoria
        </Checkbox>
        {children}
      </div>
    </div>
  );
}

/** The answers to choose from, and where each leads. */
function Options({ question, at, questions, field, put }: FormProps) {
  const { kind } = question;
  const options = draft.optionsOf(question);
  const fixed = kind === 'yes_no';
  const place = `questions.${at}.options`;
  const alter = (n: number, part: Partial<CalloutOption>) =>
    put({ options: options.map((option, one) => (one === n ? { ...option, ...part } : option)) });
  /** To the next one, where it waits for its text; else to another. */
  const goOn = (n: number) => {
    const waits = options[n + 1]?.text === '';
    if (waits || options.length < draft.MOST) {
      put(waits ? {} : { options: draft.withOption(options, n + 1) }, `options.${n + 1}.text`);
    }
  };
  return (
    <ol className={styles.options} aria-label="Scelte" data-routes={kind !== 'choices' || undefined}>
      <li aria-hidden="true">
        <span />
        <span>Scelte</span>
        {kind === 'choices' ? null : <span>Poi</span>}
      </li>
      {options.map(({ key, text, next }, n) => {
        const name = fixed ? text : `Scelta ${n + 1}`;
        const ends = next?.startsWith(draft.END) ?? false;
        const { error, ...route } = field(`${place}.${n}.next`);
        return (
          <li key={key}>
            <span aria-hidden="true">{n + 1}</span>
            {fixed ? (
              <span>{text}</span>
            ) : (
              <TextField
                label={hidden(name)}
                {...field(`${place}.${n}.text`)}
                value={text}
                onKeyDown={onEnter(() => text.trim() && goOn(n))}
                onValue={(value) => alter(n, { text: value })}
              />
            )}
            {kind === 'choices' ? null : (
              <SelectField
                label={hidden(`${name}, poi`)}
                {...(ends ? {} : { ...route, error })}
                value={ends ? draft.END : (next ?? '')}
                options={draft.routesFrom(questions, at, next)}
                onValue={(value) => alter(n, { next: value || null })}
              />
            )}
            {fixed ? null : (
              <Button
                variant="icon"
                aria-label={`Togli la scelta ${n + 1}`}
                icon={<X />}
                onClick={() => put({ options: options.toSpliced(n, 1) }, 'text')}
              />
            )}
            {ends ? (
              <TextField
                label={hidden(`${name}, testo finale: non resta nulla`)}
                placeholder="Che cosa dire: di chi finisce qui non resta nulla"
                {...{ ...route, error }}
                value={next?.slice(draft.END.length) ?? ''}
                onValue={(words) => alter(n, { next: draft.END + words })}
              />
            ) : null}
          </li>
        );
      })}
    </ol>
  );
}
