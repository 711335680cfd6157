import type { RefObject } from 'react';
import { useNavigate } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { ReportDetail } from '../../shared/api/schema';
import { announce } from '../../shared/ui/announcer';
import { faultOf, ToldError } from '../common/errors';
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
  const go = async (direction: 'older' | 'newer') => {
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

/** The report beside this one, and the query of the list page it stands on. */
export async function neighbourOf(
  { id, data_creazione }: Pick<ReportDetail, 'id' | 'data_creazione'>,
  list: string,
  direction: 'older' | 'newer',
): Promise<{ id: string; list: string } | null> {
  const older = direction === 'older';
  // Whatever is of the same instant on another page is beside it too.
  const bound = Date.parse(data_creazione) + (older ? 1 : 0);
  let query = list;
  let up = false;
  // More pages than these do not arrive while somebody reads.
  for (let pages = 0; pages < 5; pages += 1) {
    const filters = readFilters(new URLSearchParams(query));
    const page = await call('get', '/reports', { query: filters, timeoutMs: SEARCH_TIMEOUT_MS });
    const at = page.data.findIndex((row) => row.id === id);
    const rows = page.data.filter((row) => row.id !== id);
    // One that is not on the page any more (its status no longer matches) counts by its date.
    const below = at >= 0 ? at : rows.findIndex((row) => Date.parse(row.data_creazione) < bound);
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
