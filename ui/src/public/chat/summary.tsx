import type { Message, Step } from './conversation';
import { Correct } from './correct';
import { HINTS } from './field-hints';
import styles from './transcript.module.css';

type Props = {
  lines: NonNullable<Message['summary']>;
  /** Absent while nothing can be corrected. */
  onCorrect: ((step: Step) => void) | undefined;
};

export function Summary({ lines, onCorrect }: Props) {
  return (
    <div className={styles.card}>
      <div className={styles.lead}>Ecco che cosa verrà inviato:</div>
      <dl className={styles.summary}>
        {lines.map(({ state, text }) => (
          <div key={state}>
            <dt>{HINTS[state].label}</dt>
            <dd>
              <span className={styles.line}>{text}</span>
              {onCorrect && <Correct step={state} onCorrect={onCorrect} />}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
