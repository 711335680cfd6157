/** One question of a message with its field. A number and a day are written, as people know them: also in words. */
import type { CalloutQuestion } from '../../shared/api/schema';
import { Act } from '../act';
import styles from './asked.module.css';
import follow from './follow.module.css';

interface Props {
  question: CalloutQuestion;
  /** Of its field; unique in the page. */
  name: string;
  /** Its place among all. */
  place: string;
  /** A text, or the keys of options. */
  value: readonly string[];
  fault: string;
  onChange: (value: readonly string[]) => void;
}

const YES_NO = [
  { key: 'si', text: 'Sì' },
  { key: 'no', text: 'No' },
];

/** The options of a choice, those of a yes or no included. */
export const choicesOf = ({ kind, options }: CalloutQuestion): readonly { key: string; text: string }[] =>
  kind === 'yes_no' && options.length === 0 ? YES_NO : options;

const EXAMPLES: Readonly<Record<string, string>> = {
  number: 'Anche una stima',
  date: 'Per esempio marzo 2025',
};

export function Question(props: Props) {
  const { question, name, place, fault } = props;
  const written = ['text', 'number', 'date'].includes(question.kind);
  const about = `${name}-fault ${name}-help`;
  const head = (
    <>
      <span>{question.text}</span> <small>{place}</small>
    </>
  );
  const rest = (
    <>
      {question.help && (
        <p id={`${name}-help`} className={follow.quiet}>
          {question.help}
        </p>
      )}
      {written ? <Written {...props} about={about} /> : <Options {...props} />}
      <p id={`${name}-fault`} className={follow.wrong} role="alert">
        {fault}
      </p>
    </>
  );
  return written ? (
    <div className={styles.question}>
      <label htmlFor={name}>{head}</label>
      {rest}
    </div>
  ) : (
    <fieldset className={styles.question} aria-describedby={about}>
      <legend>{head}</legend>
      {rest}
    </fieldset>
  );
}

function Written({ question: { kind }, name, value, fault, about, onChange }: Props & { about: string }) {
  const field = {
    id: name,
    name,
    className: follow.box,
    value: value[0] ?? '',
    'aria-describedby': about,
    'aria-invalid': fault !== '' || undefined,
    onChange: ({ target }: { target: { value: string } }) => onChange([target.value]),
  };
  return kind === 'text' ? (
    <textarea {...field} rows={2} />
  ) : (
    <input {...field} autoComplete="off" placeholder={EXAMPLES[kind]} />
  );
}

function Options({ question, name, value, onChange }: Props) {
  const { kind } = question;
  const several = kind === 'choices';
  const choices = choicesOf(question);
  const toggled = (key: string) =>
    choices.map((one) => one.key).filter((one) => value.includes(one) !== (one === key));
  return (
    <div className={styles.options} data-two={kind === 'yes_no' || undefined}>
      {choices.map(({ key, text }) => (
        <label key={key}>
          <input
            type={several ? 'checkbox' : 'radio'}
            name={name}
            checked={value.includes(key)}
            onChange={() => onChange(several ? toggled(key) : [key])}
          />
          {text}
        </label>
      ))}
      {!several && value.length > 0 && (
        <Act
          quiet
          onClick={({ currentTarget }) => {
            currentTarget.closest('fieldset')?.querySelector('input')?.focus();
            onChange([]);
          }}
        >
          Lascia vuoto<span className="visually-hidden"> ({question.text})</span>
        </Act>
      )}
    </div>
  );
}
