import { useEffect, useRef, useState } from 'react';
import { Text } from './layout';
import styles from './status-message.module.css';

const STATUS_MESSAGE_MS = 3000;

interface StatusMessageProps {
  /** What to say; null when there is nothing. A new object says it again. */
  message: { text: string } | null;
  onDone: () => void;
}

/** Good news in a live region. It goes by itself, but not from under a pointer or while it has the focus. */
export function StatusMessage({ message, onDone }: StatusMessageProps) {
  const [held, setHeld] = useState(false);
  // The parent draws often; only a new message may start the clock again.
  const done = useRef(onDone);
  useEffect(() => {
    done.current = onDone;
  }, [onDone]);

  useEffect(() => {
    if (!message || held) {
      return;
    }
    const timer = setTimeout(() => done.current(), STATUS_MESSAGE_MS);
    return () => clearTimeout(timer);
  }, [message, held]);

  return (
    <div
      role="status"
      className={styles.region}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
    >
      {message ? (
        <Text tone="success" strong>
          {message.text}
        </Text>
      ) : null}
    </div>
  );
}
