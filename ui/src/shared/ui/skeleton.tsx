import styles from './skeleton.module.css';

/** A grey bar of the size of the text to come; `lines` of them, the last one shorter. Not for screen readers. */
export function Skeleton({ lines = 1, tall = false }: { lines?: number; tall?: boolean }) {
  return (
    <span className={styles.group} aria-hidden="true">
      {Array.from({ length: lines }, (_, line) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: identical bars that never move
          key={line}
          className={styles.bar}
          data-tall={tall || undefined}
        />
      ))}
    </span>
  );
}
