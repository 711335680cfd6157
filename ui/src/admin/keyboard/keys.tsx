import { Fragment } from 'react';
import styles from './keyboard.module.css';

const NAMES: Readonly<Record<string, string>> = { Enter: 'Invio' };

/** Keys as they stand on the keyboard: one, two pressed together, or two one after the other. */
export function Keys({ keys }: { keys: string }) {
  return keys.split(' ').map((step, index) => (
    <Fragment key={step}>
      {index > 0 ? ' poi ' : null}
      {step.split('+').map((key, position) => (
        <Fragment key={key}>
          {position > 0 ? ' + ' : null}
          <kbd className={styles.key}>{NAMES[key] ?? key}</kbd>
        </Fragment>
      ))}
    </Fragment>
  ));
}
