import { useEffect, useRef, useState } from 'react';
import type { ReportList } from '../../shared/api/schema';
import { announce } from '../../shared/ui/announcer';
import { type Arrivals, arrivalsSince, NO_ARRIVALS, type Seen, seenOf } from './arrivals';

/** Reports that have arrived since this selection was opened; each growth is announced once. */
export function useArrivals(selection: string, list: ReportList | undefined): Arrivals {
  const seen = useRef<{ selection: string; seen: Seen; announced: number } | null>(null);
  const [arrivals, setArrivals] = useState<Arrivals>(NO_ARRIVALS);

  useEffect(() => {
    if (!list) {
      return;
    }
    if (seen.current?.selection !== selection) {
      seen.current = { selection, seen: seenOf(list), announced: 0 };
      setArrivals(NO_ARRIVALS);
      return;
    }
    const now = arrivalsSince(seen.current.seen, list);
    const count = now.fresh.size + now.elsewhere;
    const added = count - seen.current.announced;
    seen.current.announced = count;
    setArrivals(now);
    if (added > 0) {
      announce(
        added === 1 ? 'È arrivata una nuova segnalazione.' : `Sono arrivate ${added} nuove segnalazioni.`,
      );
    }
  }, [selection, list]);

  return arrivals;
}
