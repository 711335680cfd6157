import { Row } from '../../shared/ui/layout';
import type { KeyboardState } from './keyboard';
import styles from './keyboard.module.css';
import { Keys } from './keys';

/** What may follow the key just pressed, or why it did nothing. The region is there before its words are. */
export function KeyHint({ state }: { state: KeyboardState }) {
  const { waiting, notice } = state;
  return (
    <div className={styles.hint} role="status">
      {notice}
      {waiting ? (
        <Row nowrap align="start" gap={4}>
          <span className={styles.first}>
            <Keys keys={waiting.key} /> poi
          </span>
          <Row as="ul" gap={4}>
            {waiting.options.map(({ keys, label }) => (
              <li key={keys}>
                <Keys keys={keys.slice(waiting.key.length + 1)} /> {label}
              </li>
            ))}
          </Row>
        </Row>
      ) : null}
    </div>
  );
}
