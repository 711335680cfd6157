import { useNavigate } from 'react-router-dom';
import type { ReportDetail } from '../../shared/api/schema';
import { useDepartments } from '../common/departments';
import { DONE_KEY } from '../common/list/use-done';
import { paths } from '../common/paths';
import { usePeopleOptions } from '../common/people/people';
import { useRights } from '../common/session/session-context';
import { STATI } from '../common/stato';
import { useChanges } from '../desk/changes';
import { type Command, useShortcuts } from '../keyboard/keyboard-context';
import type { Way } from './composer';
import type { Go } from './neighbours';

const GROUP = 'Nella segnalazione';

/** A key for each person, as far as keys go. */
const PLACES = [...'123456789bcdefghijklmnopqrstuvwxyz'];

interface ReportKeyTargets {
  report: ReportDetail;
  /** Saves the note, or sends what the focus is in. */
  save: () => void;
  write: (way: Way) => void;
  onDone: () => void;
  toNote: () => void;
  toLabels: () => void;
  toSnooze: () => void;
  onPrint: () => void;
  /** Sets the sender aside, or takes them back. */
  onAside: () => void;
}

export function useReportKeys(targets: ReportKeyTargets): void {
  const { report, save, write, onDone, toNote, toLabels, toSnooze, onPrint, onAside } = targets;
  const { change, pending } = useChanges();
  const { who, edits } = useRights();
  const departments = useDepartments();
  const people = usePeopleOptions();
  const navigate = useNavigate();
  const changing: Command[] = [
    ...STATI.map((stato, index) => ({
      keys: `${index + 1}`,
      label: `Stato: ${stato}`,
      run: () => change(report, { stato }),
    })),
    ...departments.all.slice(0, PLACES.length).map(({ key, name }, index) => ({
      keys: `r ${PLACES[index]}`,
      label: `Reparto: ${name}`,
      run: () => change(report, { department: key }),
    })),
    ...people.slice(0, PLACES.length).map(({ value, label }, index) => ({
      keys: `a ${PLACES[index]}`,
      label: `Assegna a ${label}`,
      run: () => change(report, { assegnataA: value }),
    })),
    ...(people.length > 0
      ? [{ keys: 'a 0', label: 'Non assegnata', run: () => change(report, { assegnataA: null }) }]
      : []),
    ...(who ? [{ keys: 'm', label: 'Assegna a me', run: () => change(report, { assegnataA: who.id }) }] : []),
    { keys: 'l', label: 'Etichette', run: toLabels },
    {
      keys: 'u',
      label: 'Urgente, o non più',
      run: () => change(report, { urgente: !(pending(report.id).urgente ?? report.urgenteOra) }),
    },
    { keys: DONE_KEY, label: 'Fatto: esce da «Da fare»', run: onDone },
    { keys: 'h', label: 'Rinvia a un altro momento', run: toSnooze },
    { keys: 'c', label: 'Scrivi un commento', run: () => write('in') },
    { keys: 'w', label: 'Scrivi a chi ha segnalato', run: () => write('out') },
    { keys: 'n', label: 'Vai alle note interne', run: toNote },
    { keys: 'Ctrl+Enter', label: 'Invia, o salva le note', inFields: true, run: save },
    { keys: 'p', label: 'Stampa PDF', run: onPrint },
    {
      keys: 'o',
      label: 'Prepara una copia oscurata',
      run: () => navigate(paths.copy(report.id)),
    },
    {
      keys: 'd',
      label: report.aside ? 'Riprendi chi scrive' : 'Metti da parte chi scrive',
      run: onAside,
    },
  ];
  useShortcuts(GROUP, edits ? changing : []);
}

/** The ways on from a report, before it is there itself. */
export function useWayKeys(listAddress: string, go: Go): void {
  const navigate = useNavigate();
  useShortcuts(GROUP, [
    { keys: 'j', label: 'Segnalazione successiva dell’elenco', run: () => go('next') },
    { keys: 'k', label: 'Segnalazione precedente dell’elenco', run: () => go('previous') },
    { keys: 't', label: 'Torna alla lista', run: () => navigate(listAddress) },
  ]);
}
