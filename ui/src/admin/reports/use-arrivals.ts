import { useEffect, useRef, useState } from 'react';
import type { ReportList } from '../../shared/api/schema';
import { announce } from '../../shared/ui/announcer';

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

/** What the reader has been shown of one selection. */
interface Seen {
  ids: ReadonlySet<string>;
  /** Date of the newest report shown, in milliseconds; -Infinity when the list was empty. */
  newest: number;
  total: number;
}

interface Arrivals {
  /** New reports on this page. */
  fresh: ReadonlySet<string>;
  /** New reports that the present filters or page do not show. */
  elsewhere: number;
}

const NO_ARRIVALS: Arrivals = { fresh: new Set(), elsewhere: 0 };

function dateOf(row: { data_creazione: string }): number {
  return Date.parse(row.data_creazione);
}

export function seenOf(list: ReportList): Seen {
  return {
    ids: new Set(list.data.map((row) => row.id)),
    newest: Math.max(Number.NEGATIVE_INFINITY, ...list.data.map(dateOf)),
    total: list.counters.total,
  };
}

/** What has arrived since `seen`. A row is new when it is unknown and not older than the newest row known before. */
export function arrivalsSince(seen: Seen, list: ReportList): Arrivals {
  const arrived = Math.max(0, list.counters.total - seen.total);
  const unknown = list.data.filter((row) => !seen.ids.has(row.id) && dateOf(row) >= seen.newest);
  // Never more than the archive has grown by: an old report that was given the wanted state is not an arrival.
  const fresh = list.prevCursor === null ? unknown.slice(0, arrived) : [];
  return { fresh: new Set(fresh.map((row) => row.id)), elsewhere: arrived - fresh.length };
}
