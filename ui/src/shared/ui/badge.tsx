import styles from './badge.module.css';

export type BadgeTone = 'blue' | 'yellow' | 'green' | 'grey' | 'red';

export function Badge({ tone, children }: { tone: BadgeTone; children: string }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {children}
    </span>
  );
}
