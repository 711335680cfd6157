import styles from './report.module.css';

export function ReportHeading({ id }: { id: string }) {
  return (
    <>
      Segnalazione <span className={styles.id}>#{id}</span>
    </>
  );
}
