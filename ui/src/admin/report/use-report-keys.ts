import type { RefObject } from 'react';
import { useNavigate } from 'react-router-dom';
import type { ReportDetail } from '../../shared/api/schema';
import { DESKS } from '../common/departments';
import { paths } from '../common/paths';
import { STATI } from '../common/stato';
import { useChanges } from '../desk/changes';
import { type Command, useShortcuts } from '../keyboard/keyboard-context';
import { useRights } from '../session/session-context';
import type { Go } from './neighbours';

interface ReportKeyTargets {
  report: ReportDetail;
  list: string;
  save: () => void;
  noteBox: RefObject<HTMLTextAreaElement | null>;
  go: Go;
  onPrint: () => void;
}

export function useReportKeys({ report, list, save, noteBox, go, onPrint }: ReportKeyTargets): void {
  const navigate = useNavigate();
  const { change } = useChanges();
  const { who, edits } = useRights();
  const changing: Command[] = [
    ...STATI.map((stato, index) => ({
      keys: `${index + 1}`,
      label: `Stato: ${stato}`,
      run: () => change(report, { stato }),
    })),
    ...DESKS.map(({ key, name }, index) => ({
      keys: `r ${index + 1}`,
      label: `Reparto: ${name}`,
      run: () => change(report, { department: key }),
    })),
    ...(who ? [{ keys: 'm', label: 'Assegna a me', run: () => change(report, { assegnataA: who.id }) }] : []),
    { keys: 'n', label: 'Vai alle note interne', run: () => noteBox.current?.focus() },
    { keys: 'Ctrl+Enter', label: 'Salva le note', inFields: true, run: save },
    { keys: 'p', label: 'Stampa PDF', run: onPrint },
  ];
  useShortcuts('Nella segnalazione', [
    { keys: 'j', label: 'Segnalazione successiva dell’elenco', run: () => go('next') },
    { keys: 'k', label: 'Segnalazione precedente dell’elenco', run: () => go('previous') },
    ...(edits ? changing : []),
    { keys: 'u', label: 'Torna alla lista', run: () => navigate(paths.reports + list) },
  ]);
}
