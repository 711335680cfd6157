import type { RefObject } from 'react';
import { useNavigate } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { ReportDetail } from '../../shared/api/schema';
import { announce } from '../../shared/ui/announcer';
import { faultOf } from '../common/errors';
import { paths } from '../common/paths';
import { STATI } from '../common/stato';
import { useKeyboard, useShortcuts } from '../keyboard/keyboard-context';
import { readFilters, SEARCH_TIMEOUT_MS, writeFilters } from '../reports/filters';
import type { ReportForm } from './use-report-form';

interface Parts {
  report: ReportDetail;
  form: ReportForm;
  list: string;
  noteBox: RefObject<HTMLTextAreaElement | null>;
  onPrint: () => void;
}

export function useReportKeys({ report, form, list, noteBox, onPrint }: Parts): void {
  const navigate = useNavigate();
  const keyboard = useKeyboard();
  const go = async (direction: Direction) => {
    try {
      const found = await neighbourOf(report, list, direction);
      if (found) {
        navigate(paths.report(found.id), { state: { list: found.list } });
      } else {
        const end = direction === 'older' ? 'l’ultima' : 'la prima';
        keyboard.say(`Questa è ${end} segnalazione dell’elenco.`);
      }
    } catch (error) {
      keyboard.say(faultOf(error).text);
    }
  };
  useShortcuts('Nella segnalazione', [
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
    { keys: 'u', label: 'Torna alla lista', run: () => navigate(paths.reports + list) },
  ]);
}

/** `older` is further down the list. */
type Direction = 'older' | 'newer';

/** The report beside this one, and the query of the list page it stands on. */
export async function neighbourOf(
  { id, data_creazione }: Pick<ReportDetail, 'id' | 'data_creazione'>,
  list: string,
  direction: Direction,
): Promise<{ id: string; list: string } | null> {
  const read = (query: string) =>
    call('get', '/reports', {
      query: readFilters(new URLSearchParams(query)),
      timeoutMs: SEARCH_TIMEOUT_MS,
    });
  const older = direction === 'older';
  const page = await read(list);
  const at = page.data.findIndex((row) => row.id === id);
  const date = Date.parse(data_creazione);
  // One that is not on the page any more (its status no longer matches) counts by its date.
  const beside =
    at >= 0
      ? page.data[older ? at + 1 : at - 1]
      : older
        ? page.data.find((row) => Date.parse(row.data_creazione) < date)
        : page.data.findLast((row) => Date.parse(row.data_creazione) > date);
  if (beside) {
    return { id: beside.id, list };
  }
  const cursor = older ? page.nextCursor : page.prevCursor;
  if (!cursor) {
    return null;
  }
  const turned = writeFilters({ ...readFilters(new URLSearchParams(list)), cursor });
  const edge = (await read(turned)).data.at(older ? 0 : -1);
  return edge ? { id: edge.id, list: turned } : null;
}
