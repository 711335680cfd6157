import type { Ref } from 'react';
import { Text } from './layout';
import styles from './status-message.module.css';
import { usePassing } from './use-passing';

const STATUS_MESSAGE_MS = 3000;

interface StatusMessageProps {
  /** The message; null when there is none. A new object announces it again. */
  message: { text: string } | null;
  onDone: () => void;
  /** The message itself, while there is one. */
  ref?: Ref<HTMLParagraphElement>;
}

/** Good news that goes by itself, in a live region that is there before it. */
export function StatusMessage({ message, onDone, ref }: StatusMessageProps) {
  const passing = usePassing(message, STATUS_MESSAGE_MS, onDone);
  return (
    <div role="status" className={styles.region} {...passing}>
      {message ? (
        <Text ref={ref} tone="success" strong>
          {message.text}
        </Text>
      ) : null}
    </div>
  );
}
