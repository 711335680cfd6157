import { useEffect, useRef, useState } from 'react';
import type { ReportList } from '../../shared/api/schema';
import { announce } from '../../shared/ui/announcer';

interface Arrivals {
  fresh: ReadonlySet<string>;
  /** New reports that the present filters or page do not show. */
  elsewhere: number;
}

const NO_ARRIVALS: Arrivals = { fresh: new Set(), elsewhere: 0 };

export function arrivedText(count: number): string {
  return count === 1 ? 'È arrivata una nuova segnalazione' : `Sono arrivate ${count} nuove segnalazioni`;
}

/** Reports that have arrived since this selection was opened; each growth is announced once. */
export function useArrivals(selection: string, list: ReportList | undefined): Arrivals {
  const opened = useRef<{ selection: string; list: ReportList; announced: number } | null>(null);
  const [arrivals, setArrivals] = useState(NO_ARRIVALS);

  useEffect(() => {
    if (!list) {
      return;
    }
    if (opened.current?.selection !== selection) {
      opened.current = { selection, list, announced: 0 };
    }
    const now = arrivalsSince(opened.current.list, list);
    const count = now.fresh.size + now.elsewhere;
    if (count > opened.current.announced) {
      announce(`${arrivedText(count - opened.current.announced)}.`);
    }
    opened.current.announced = count;
    setArrivals(now);
  }, [selection, list]);

  return arrivals;
}

/** The reports that have arrived since `opened`. A row is new when it is unknown and not older than the newest row known before. */
export function arrivalsSince(opened: ReportList, list: ReportList): Arrivals {
  const known = new Set(opened.data.map(({ id }) => id));
  const dates = opened.data.map((row) => Date.parse(row.data_creazione));
  const newest = Math.max(Number.NEGATIVE_INFINITY, ...dates);
  const arrived = Math.max(0, list.counters.total - opened.counters.total);
  const unknown = list.data.filter(
    ({ id, data_creazione }) => !known.has(id) && Date.parse(data_creazione) >= newest,
  );
  // Never more than the archive has grown by: an old report that was given the wanted state is not an arrival.
  const fresh = list.prevCursor === null ? unknown.slice(0, arrived) : [];
  return { fresh: new Set(fresh.map(({ id }) => id)), elsewhere: arrived - fresh.length };
}
