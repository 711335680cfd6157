import type { Counters as Figures } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Skeleton } from '../../shared/ui/skeleton';
import { FigureCard, FigureCards } from '../common/figure-cards';
import type { Stato } from '../common/stato';
import { type Filters, isNarrowed, withFilter, writeFilters } from './filters';

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
      <FigureCards>
        {CARDS.map(({ label, figure, stato }) => (
          <FigureCard
            key={figure}
            name={label}
            figure={figures ? formatNumber(figures[figure]) : failed ? '—' : <Skeleton tall />}
            stato={stato}
            query={writeFilters(withFilter({}, { stato }))}
            current={(filters.stato ?? null) === stato && !isNarrowed(filters)}
          />
        ))}
      </FigureCards>
    </nav>
  );
}
