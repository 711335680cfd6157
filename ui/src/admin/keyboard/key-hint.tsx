import styles from './key-hint.module.css';
import type { KeyboardState } from './keyboard';
import { Keys } from './keys';

/** What may follow the key just pressed, or why it did nothing. The region is there before its words are. */
export function KeyHint({ state }: { state: KeyboardState }) {
  const { waiting, notice } = state;
  return (
    <div className={styles.hint} role="status">
      {notice}
      {waiting ? (
        <div className={styles.waiting}>
          <span>
            <Keys keys={waiting.key} /> poi
          </span>
          <ul className={styles.options}>
            {waiting.options.map(({ keys, label }) => (
              <li key={keys}>
                <Keys keys={keys.slice(waiting.key.length + 1)} /> {label}
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </div>
  );
}
