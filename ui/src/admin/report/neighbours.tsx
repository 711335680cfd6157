import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useNavigate } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { ReportDetail, ReportList, ReportRow } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Text } from '../../shared/ui/layout';
import { faultOf, ToldError } from '../common/errors';
import { useKeyRegistry } from '../common/keys/registry';
import {
  type Asked,
  type Filters,
  readFilters,
  SEARCH_TIMEOUT_MS,
  useFilters,
  writeFilters,
} from '../common/list/filters';
import { usePrefetch } from '../common/list/use-prefetch';
import { paths } from '../common/paths';
import { useKeyboard } from '../keyboard/keyboard-context';
import { useAsked, useReportList } from '../reports/use-report-list';

type Direction = 'next' | 'previous';
export type Go = (direction: Direction) => Promise<void>;

export function useGo(
  report: Pick<ReportDetail, 'id' | 'data_creazione'>,
  list: string,
): { go: Go; page: ReportList | undefined } {
  const filters = readFilters(new URLSearchParams(list));
  const page = useReportList(filters).data;
  /** Those behind it while it was on the list: by what is done with it, it may have left since. */
  const behind = useRef<readonly string[]>([]);
  useEffect(() => {
    const ids = page?.data.map((row) => row.id) ?? [];
    if (ids.includes(report.id)) {
      behind.current = ids.slice(ids.indexOf(report.id) + 1);
    }
  }, [page, report.id]);
  const navigate = useNavigate();
  const keyboard = useKeyboard();
  const keys = useKeyRegistry();
  const asked = useAsked();
  const prefetch = usePrefetch();
  /** The one beside it on the page that is shown, so that going there waits for nothing; in 'Da fare', the next that waits. */
  const shown = (direction: Direction): string | undefined => {
    const rows = page?.data ?? [];
    const at = rows.findIndex((row) => row.id === report.id);
    if (direction === 'previous') {
      return rows[at - 1]?.id;
    }
    const beyond = at < 0 ? rows.filter((row) => behind.current.includes(row.id)) : rows.slice(at + 1);
    return beyond.find((row) => row.todo !== null || !filters.todo)?.id;
  };
  const go: Go = async (direction) => {
    // The keys pressed meanwhile are meant for the report that it leads to.
    const arrived = keys.hold();
    try {
      const id = shown(direction);
      const here = page?.data.find((row) => row.id === report.id) ?? report;
      const known = { asked, behind: behind.current };
      const found = id
        ? { id, list }
        : ((await neighbourOf(here, list, direction, known)) ??
          (direction === 'next' ? await firstLeft(report.id, list, asked) : null));
      if (found) {
        prefetch(found.id);
        navigate(paths.report(found.id), { state: { list: found.list } });
      } else {
        const end = direction === 'next' ? 'l’ultima' : 'la prima';
        keyboard.say(`Questa è ${end} segnalazione dell’elenco.`);
      }
    } catch (error) {
      keyboard.say(faultOf(error).text);
    } finally {
      arrived();
    }
  };
  return { go, page };
}

/** `12 di 48`; where the total is unknown, only what is known. */
function placeOf({ ahead, matching }: ReportList, at: number): string | null {
  if (ahead === null) {
    return matching === null ? null : `${formatNumber(matching)} in tutto`;
  }
  const place = formatNumber(ahead + at + 1);
  return matching === null ? place : `${place} di ${formatNumber(matching)}`;
}

export function Neighbours({ id, page, go }: { id: string; page: ReportList | undefined; go: Go }) {
  const at = page?.data.findIndex((row) => row.id === id) ?? -1;
  const place = page && at >= 0 ? placeOf(page, at) : null;
  const [{ todo }] = useFilters();
  const alone = page?.data.length === 1 && page.prevCursor === null;
  const last = page !== undefined && at === page.data.length - 1 && page.nextCursor === null;
  return (
    <>
      <Button
        variant="icon"
        aria-label="Segnalazione precedente"
        aria-keyshortcuts="k"
        title="Precedente (k)"
        inactive={at === 0 && page?.prevCursor === null}
        icon={<ChevronLeft />}
        onClick={() => void go('previous')}
      />
      {place ? (
        <Text as="span" tone="muted" small digits>
          {place}
        </Text>
      ) : null}
      <Button
        variant="icon"
        aria-label="Segnalazione successiva"
        aria-keyshortcuts="j"
        title="Successiva (j)"
        inactive={last && (alone || !todo)}
        icon={<ChevronRight />}
        onClick={() => void go('next')}
      />
    </>
  );
}

/** 'Da fare' begins again at its end, as long as another one waits. */
async function firstLeft(
  id: string,
  list: string,
  asked: KnownPlace['asked'],
): Promise<{ id: string; list: string } | null> {
  const { cursor: _, ...filters } = readFilters(new URLSearchParams(list));
  if (!filters.todo) {
    return null;
  }
  const { data } = await call('get', '/reports', { query: asked(filters), timeoutMs: SEARCH_TIMEOUT_MS });
  const first = data.find((row) => row.id !== id);
  return first ? { id: first.id, list: writeFilters(filters) } : null;
}

interface KnownPlace {
  asked: (filters: Filters) => Asked;
  behind: readonly string[];
}

export async function neighbourOf(
  { id, data_creazione }: Pick<ReportDetail, 'id' | 'data_creazione'>,
  list: string,
  direction: Direction,
  known: KnownPlace = { asked: (filters) => filters, behind: [] },
): Promise<{ id: string; list: string } | null> {
  const older = direction === 'next';
  // Whatever is of the same instant on another page is beside it too.
  const same = older ? 1 : 0;
  const created = Date.parse(data_creazione);
  let query = list;
  let up = false;
  /** It stands on the page before this one, at its edge. */
  let stood = false;
  // More pages than these do not arrive during a reading.
  for (let pages = 0; pages < 5; pages += 1) {
    const filters = readFilters(new URLSearchParams(query));
    const page = await call('get', '/reports', { query: known.asked(filters), timeoutMs: SEARCH_TIMEOUT_MS });
    const at = page.data.findIndex((row) => row.id === id);
    const rows = page.data.filter((row) => row.id !== id);
    // One that is not on the page any more (its status no longer matches) counts by its former neighbour, else by its date.
    const followed = rows.findIndex((row) => known.behind.includes(row.id));
    const comesLater = (row: ReportRow) => {
      const other = Date.parse(row.data_creazione);
      return filters.order === 'asc' ? other > created - same : other < created + same;
    };
    const dated = followed >= 0 ? followed : rows.findIndex(comesLater);
    const edge = older ? 0 : rows.length;
    const below = at >= 0 ? at : stood ? edge : dated;
    stood ||= at >= 0;
    // Reports that arrived since the list was shown push it to a page further down.
    const pushed: boolean = below < 0 && page.nextCursor !== null && !up;
    const beside = rows[older ? below : (below < 0 ? rows.length : below) - 1];
    if (beside && !pushed) {
      return { id: beside.id, list: query };
    }
    up = !older && !pushed;
    const cursor = up ? page.prevCursor : page.nextCursor;
    if (!cursor) {
      return null;
    }
    query = writeFilters({ ...filters, cursor });
  }
  throw new ToldError('Questa segnalazione è molto più in basso nell’elenco: aprila da lì.');
}
