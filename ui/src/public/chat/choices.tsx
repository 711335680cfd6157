/** Fields of the questions that a newsroom asks of its own. Must never judge the answer: the server does. */
import { type ComponentPropsWithRef, type Ref, useState } from 'react';
import type { ChatOption } from '../../shared/api/schema';
import styles from './composer.module.css';

type ChoicesProps = {
  ref: Ref<HTMLFieldSetElement>;
  options: readonly ChatOption[];
  /** The chosen ones, one a line. */
  value: string;
  disabled: boolean;
  onChoose: (text: string) => void;
};

export function Choices({ ref, options, value, disabled, onChoose }: ChoicesProps) {
  const chosen = value.split('\n');
  const change = (key: string) =>
    options.filter((option) => chosen.includes(option.text) !== (option.key === key)).map(({ text }) => text);
  return (
    <fieldset
      ref={ref}
      id="answer"
      className={styles.choices}
      tabIndex={-1}
      aria-labelledby="answer-label"
      aria-describedby="answer-said"
    >
      {options.map(({ key, text }) => (
        <label key={key}>
          <input
            type="checkbox"
            checked={chosen.includes(text)}
            disabled={disabled}
            onChange={() => onChoose(change(key).join('\n'))}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

const swapped = (text: string, between: RegExp, sign: string) => {
  const parts = between.exec(text)?.slice(1).reverse();
  return parts?.join(sign);
};

type DateProps = ComponentPropsWithRef<'input'> & { value: string; onSay: (text: string) => void };

/** The browser's own way to choose a day; a field to write it in where it has none. The answer is written as Italians do. */
export function DateField({ value, onSay, ...field }: DateProps) {
  const [chosen] = useState(() => {
    const probe = document.createElement('input');
    probe.type = 'date';
    return probe.type === 'date';
  });
  return (
    <input
      {...field}
      {...(chosen
        ? { type: 'date', max: '9999-12-31', value: swapped(value, /^(\d\d)\/(\d\d)\/(\d{4})$/, '-') ?? '' }
        : { inputMode: 'numeric', placeholder: 'GG/MM/AAAA', value })}
      onChange={({ target }) => onSay(swapped(target.value, /^(\d{4})-(\d\d)-(\d\d)$/, '/') ?? target.value)}
    />
  );
}
