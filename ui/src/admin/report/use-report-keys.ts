import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { useNavigate } from 'react-router-dom';
import type { ReportDetail, ReportList, ReportRow } from '../../shared/api/schema';
import { announce } from '../../shared/ui/announcer';
import { faultOf } from '../common/errors';
import { paths } from '../common/paths';
import { STATI } from '../common/stato';
import { type Command, useKeyboard, useShortcuts } from '../keyboard/keyboard-context';
import { type Filters, readFilters, writeFilters } from '../reports/filters';
import { reportsQuery } from '../reports/queries';
import type { ReportForm } from './use-report-form';

const END: Readonly<Record<Direction, string>> = {
  older: 'Questa è l’ultima segnalazione dell’elenco.',
  newer: 'Questa è la prima segnalazione dell’elenco.',
};

/** Opens the report before or after this one in the list it was opened from. */
function useNeighbours(report: ReportDetail, list: string): (direction: Direction) => void {
  const client = useQueryClient();
  const navigate = useNavigate();
  const keyboard = useKeyboard();
  return async (direction) => {
    try {
      const found = await neighbourOf(client, report, list, direction);
      if (found) {
        navigate(paths.report(found.id), { state: { list: found.list } });
      } else {
        keyboard.say(END[direction]);
      }
    } catch (error) {
      keyboard.say(faultOf(error).text);
    }
  };
}

interface Parts {
  report: ReportDetail;
  form: ReportForm;
  /** Query of the list the report was opened from. */
  list: string;
  noteBox: RefObject<HTMLTextAreaElement | null>;
  onPrint: () => void;
}

/** The keys of one report. */
export function useReportKeys({ report, form, list, noteBox, onPrint }: Parts): void {
  const navigate = useNavigate();
  const go = useNeighbours(report, list);
  const commands: Command[] = [
    { keys: 'j', label: 'Segnalazione successiva dell’elenco', run: () => go('older') },
    { keys: 'k', label: 'Segnalazione precedente dell’elenco', run: () => go('newer') },
    ...STATI.map((stato, index) => ({
      keys: `${index + 1}`,
      label: `Scegli lo stato: ${stato}`,
      run: () => {
        form.setStato(stato);
        announce(`Stato scelto: ${stato}. Non ancora salvato.`);
      },
    })),
    { keys: 'n', label: 'Vai alle note interne', run: () => noteBox.current?.focus() },
    { keys: 'Ctrl+Enter', label: 'Salva le modifiche', inFields: true, run: form.save },
    { keys: 'p', label: 'Stampa PDF', run: onPrint },
    {
      keys: 'u',
      label: 'Torna alla lista',
      run: () => navigate(paths.reports + list),
    },
  ];
  useShortcuts('Nella segnalazione', commands);
}

/** `older` is further down the list. */
type Direction = 'older' | 'newer';

interface Neighbour {
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

/** Keeps its place also where the report has left the list. */
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
