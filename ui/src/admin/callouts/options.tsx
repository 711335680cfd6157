/** The answers that a question lets one choose from. */
import { Plus, X } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import type { CalloutOption, CalloutQuestion } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { SelectField } from '../../shared/ui/select';
import { TextField } from '../../shared/ui/text-field';
import styles from './callouts.module.css';
import * as draft from './draft';
import type { FieldsProps } from './fields';

export const hidden = (label: string) => <span className="visually-hidden">{label}</span>;

export const onEnter = (work: () => unknown) => (event: KeyboardEvent) => {
  if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.nativeEvent.isComposing) {
    // In a message it would send the form.
    event.preventDefault();
    work();
  }
};

/** Changes a question, then gives the focus to its field of that name. */
export type Put = (part: Partial<CalloutQuestion>, focus?: string) => void;

export interface FormProps extends Pick<FieldsProps, 'field'> {
  question: CalloutQuestion;
  at: number;
  /** Where its answers may lead; absent where none leads elsewhere. */
  questions?: readonly CalloutQuestion[];
  put: Put;
}

export function AddOption({ question: { options }, at, put }: FormProps) {
  const full = options.length >= draft.MOST;
  return (
    <Button
      name={`questions.${at}.options`}
      variant="quiet"
      icon={<Plus />}
      inactive={full}
      onClick={() => full || put({ options: draft.withOption(options) }, `options.${options.length}.text`)}
    >
      Scelta
    </Button>
  );
}

/** The answers to choose from, where each leads, and what is wrong with them. */
export function Options({ question, at, questions, field, put }: FormProps) {
  const { kind } = question;
  const options = draft.optionsOf(question);
  const fixed = kind === 'yes_no';
  const routes = kind === 'choices' ? undefined : questions;
  const fault = field(`questions.${at}.options`).error;
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
    <>
      <ol className={styles.options} aria-label="Scelte" data-routes={routes && ''}>
        <li aria-hidden="true">
          <span />
          <span>Scelte</span>
          {routes ? <span>Poi</span> : null}
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
              {routes ? (
                <SelectField
                  label={hidden(`${name}, poi`)}
                  {...(ends ? {} : { ...route, error })}
                  value={ends ? draft.END : (next ?? '')}
                  options={draft.routesFrom(routes, at, next)}
                  onValue={(value) => alter(n, { next: value || null })}
                />
              ) : null}
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
      {fault ? <p className={styles.fault}>{fault}</p> : null}
    </>
  );
}
