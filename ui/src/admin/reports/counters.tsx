import { Link } from 'react-router-dom';
import type { Counters as Figures } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Skeleton } from '../../shared/ui/skeleton';
import { paths } from '../common/paths';
import type { Stato } from '../common/stato';
import styles from './counters.module.css';
import { type Filters, isNarrowed, NO_FILTERS, writeFilters } from './filters';

const CARDS: readonly { label: string; figure: keyof Figures; stato: Stato | null }[] = [
  { label: 'Totale', figure: 'total', stato: null },
  { label: 'Nuove', figure: 'new', stato: 'Nuova' },
  { label: 'In lavorazione', figure: 'inProgress', stato: 'In lavorazione' },
  { label: 'Risolte', figure: 'resolved', stato: 'Risolta' },
];

interface CountersProps {
  figures: Figures | undefined;
  /** The figures could not be had. */
  failed: boolean;
  filters: Filters;
}

/** The four figures of the whole archive. Each leads to the reports it counts, so it also clears all other filters. */
export function Counters({ figures, failed, filters }: CountersProps) {
  return (
    <nav aria-label="Riepilogo delle segnalazioni">
      <ul className={styles.list}>
        {CARDS.map(({ label, figure, stato }) => (
          <li key={figure}>
            <Link
              className={styles.card ?? ''}
              data-figure={figure}
              to={paths.reports + writeFilters({ ...NO_FILTERS, stato })}
              aria-current={filters.stato === stato && !isNarrowed(filters) ? 'true' : undefined}
            >
              <span className={styles.label}>{label}</span>
              <span className={styles.figure}>
                {figures ? formatNumber(figures[figure]) : failed ? '—' : <Skeleton tall />}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
