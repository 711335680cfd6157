import styles from './spinner.module.css';

/** Turning ring for a wait that has words beside it; says nothing by itself. */
export function Spinner() {
  return <span className={styles.spinner} aria-hidden="true" />;
}
