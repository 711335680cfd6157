import { useId } from 'react';
import type { ReportList } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Message } from '../../shared/ui/message';
import styles from './index-progress.module.css';

/** While the search cannot know everything yet, it says so: reports may be missing from what it finds. */
export function IndexProgress({ search }: { search: ReportList['search'] }) {
  const id = useId();
  const { total } = search;
  const indexed = Math.min(search.indexed, total);
  return (
    <div className={styles.notice}>
      <Message kind="info">
        <p role="status">
          Ricerca in preparazione: per ora trova solo una parte delle segnalazioni, a partire dalle più
          recenti. L’elenco si completa da solo.
        </p>
        <p className={styles.figures} id={id}>
          {formatNumber(indexed)} di {formatNumber(total)} segnalazioni pronte
        </p>
        <progress className={styles.bar} aria-labelledby={id} max={Math.max(total, 1)} value={indexed} />
      </Message>
    </div>
  );
}
