import { useQueryClient } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { useNavigate } from 'react-router-dom';
import type { ReportDetail } from '../../shared/api/schema';
import { announce } from '../../shared/ui/announcer';
import { faultOf } from '../common/errors';
import { paths } from '../common/paths';
import { STATI } from '../common/stato';
import { useKeyboard, useShortcuts } from '../keyboard/keyboard-context';
import type { Shortcut } from '../keyboard/registry';
import { type Direction, neighbourOf } from './neighbours';
import type { ReportForm } from './use-report-form';

const GROUP = 'Nella segnalazione';

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
  const shortcuts: Shortcut[] = [
    { keys: 'j', label: 'Segnalazione successiva dell’elenco', group: GROUP, run: () => go('older') },
    { keys: 'k', label: 'Segnalazione precedente dell’elenco', group: GROUP, run: () => go('newer') },
    ...STATI.map((stato, index) => ({
      keys: `${index + 1}`,
      label: `Scegli lo stato: ${stato}`,
      group: GROUP,
      run: () => {
        form.setStato(stato);
        announce(`Stato scelto: ${stato}. Non ancora salvato.`);
      },
    })),
    { keys: 'n', label: 'Vai alle note interne', group: GROUP, run: () => noteBox.current?.focus() },
    { keys: 'Ctrl+Enter', label: 'Salva le modifiche', group: GROUP, inFields: true, run: form.save },
    { keys: 'p', label: 'Stampa PDF', group: GROUP, run: onPrint },
    {
      keys: 'u',
      label: 'Torna alla lista',
      group: GROUP,
      run: () => navigate(paths.reports + list),
    },
  ];
  useShortcuts(shortcuts);
}
