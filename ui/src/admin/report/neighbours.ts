/** The report before or after one in the list it was opened from. Must keep its place when the report left the list. */
import type { QueryClient } from '@tanstack/react-query';
import type { ReportDetail, ReportList, ReportRow } from '../../shared/api/schema';
import { type Filters, readFilters, writeFilters } from '../reports/filters';
import { reportsQuery } from '../reports/queries';

/** `older` is further down the list. */
export type Direction = 'older' | 'newer';

export interface Neighbour {
  id: string;
  /** Query of the list page it stands on. */
  list: string;
}

type Place = Pick<ReportDetail, 'id' | 'data_creazione'>;

/** The next row of a page; a report that is not on it any more (its status no longer matches) counts by its date. */
function rowBeside(rows: readonly ReportRow[], here: Place, direction: Direction): ReportRow | undefined {
  const at = rows.findIndex((row) => row.id === here.id);
  if (at >= 0) {
    return rows[direction === 'older' ? at + 1 : at - 1];
  }
  const date = Date.parse(here.data_creazione);
  return direction === 'older'
    ? rows.find((row) => Date.parse(row.data_creazione) < date)
    : rows.findLast((row) => Date.parse(row.data_creazione) > date);
}

/** The page as it was shown when it still has the report, else as it is now. */
async function pageOf(client: QueryClient, filters: Filters, here: Place): Promise<ReportList> {
  const query = reportsQuery(filters);
  const shown = client.getQueryData(query.queryKey);
  return shown?.data.some((row) => row.id === here.id) ? shown : client.fetchQuery(query);
}

export async function neighbourOf(
  client: QueryClient,
  here: Place,
  list: string,
  direction: Direction,
): Promise<Neighbour | null> {
  const filters = readFilters(new URLSearchParams(list));
  const page = await pageOf(client, filters, here);
  const beside = rowBeside(page.data, here, direction);
  if (beside) {
    return { id: beside.id, list };
  }
  const cursor = direction === 'older' ? page.nextCursor : page.prevCursor;
  if (!cursor) {
    return null;
  }
  const turned = { ...filters, cursor };
  const { data } = await client.fetchQuery(reportsQuery(turned));
  const edge = direction === 'older' ? data[0] : data.at(-1);
  return edge ? { id: edge.id, list: writeFilters(turned) } : null;
}
