/** The field of a question with several answers to tick. Must never judge them: the server does. */
import type { Ref } from 'react';
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
