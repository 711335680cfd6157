/** Stands above list and report, so that a change is told on the next report too. Must never overwrite another's decision. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { ReportDetail } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Confirm } from '../../shared/ui/confirm';
import { Row } from '../../shared/ui/layout';
import { usePassing } from '../../shared/ui/use-passing';
import { Failure } from '../common/action';
import { useDepartments } from '../common/departments';
import { isProblem, ToldError } from '../common/errors';
import { paths } from '../common/paths';
import { type People, usePeople } from '../common/people/people';
import { reporterName } from '../common/reporter-name';
import { useRights } from '../common/session/session-context';
import type { Stato } from '../common/stato';
import { useNeeded } from '../common/use-needed';
import { adopt, keyOf } from '../common/use-read';
import { useShortcuts } from '../keyboard/keyboard-context';
import styles from './desk.module.css';

export interface Choices {
  stato: Stato;
  department: ReportDetail['department'];
  urgente: boolean;
  labels: number[];
  inoltrata: boolean;
  assegnataA: string | null;
  note: string;
}
export type Choice = Partial<Choices>;

export const reportKey = (id: string) => keyOf('/reports/{id}', { path: { id } });

export const choicesOf = (report: ReportDetail): Choices => ({
  ...report,
  urgente: report.urgenteOra,
  inoltrata: report.inoltrata !== null,
});

export interface Conflict {
  current: ReportDetail;
  mine: Choice;
}

export class Overtaken extends ToldError {
  readonly current: ReportDetail;
  constructor(current: ReportDetail) {
    super('Nel frattempo un’altra persona ha scelto diversamente.');
    this.current = current;
  }
}

const namesOf = (choice: Choice) => Object.keys(choice) as (keyof Choices)[];

/** The order of labels means nothing. */
function same(one: Choice[keyof Choice], other: Choice[keyof Choice]): boolean {
  return Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && one.every((label) => other.includes(label))
    : one === other;
}

const holds = (report: ReportDetail, choice: Choice) =>
  namesOf(choice).every((name) => same(choicesOf(report)[name], choice[name]));

/** Saves a choice over the version it was made on; once more where only another field was changed meanwhile. */
async function send(base: ReportDetail, choice: Choice): Promise<ReportDetail> {
  const { id } = base;
  const patch = (ifMatch: number) => call('patch', '/reports/{id}', { path: { id }, body: choice, ifMatch });
  try {
    return await patch(base.versione);
  } catch (error) {
    if (!isProblem(error, 'versione-superata') || !error.current) {
      const now = await call('get', '/reports/{id}', { path: { id }, background: true }).catch(() => null);
      if (now && holds(now, choice)) {
        return now;
      }
      throw error;
    }
    const { current } = error;
    if (holds(current, choice)) {
      return current;
    }
    if (namesOf(choice).some((name) => !same(choicesOf(current)[name], choicesOf(base)[name]))) {
      throw new Overtaken(current);
    }
    return await patch(current.versione);
  }
}

function wordsOf(choice: Choice, nameOf: People['nameOf'], deskOf: (key: string) => string): string {
  if (choice.stato !== undefined) {
    return `Stato: ${choice.stato}.`;
  }
  if (choice.department !== undefined) {
    return `Reparto: ${deskOf(choice.department)}.`;
  }
  if (choice.assegnataA !== undefined) {
    return choice.assegnataA === null ? 'Non più assegnata.' : `Assegnata a ${nameOf(choice.assegnataA)}.`;
  }
  if (choice.labels !== undefined) {
    return 'Etichette modificate.';
  }
  if (choice.inoltrata !== undefined) {
    return choice.inoltrata ? 'Segnata come inoltrata alle autorità.' : 'Inoltro alle autorità tolto.';
  }
  return choice.urgente ? 'Segnata come urgente.' : 'Tolto il segno «urgente».';
}

interface Outcome {
  report: ReportDetail;
  text: string | null;
  undo: Choice | null;
  failure: unknown;
}

interface Changes {
  change: (report: ReportDetail, choice: Choice) => void;
  /** Saves a note in turn with them; over the newest version, where the note is still that of `base`. */
  saveNote: (base: ReportDetail, note: string) => Promise<ReportDetail>;
  pending: (id: string) => Choice;
  conflict: (id: string) => Conflict | null;
  settle: () => void;
}

const ChangesContext = createContext<Changes | null>(null);
export const useChanges = () => useNeeded(ChangesContext, 'a change');

function useSending() {
  const client = useQueryClient();
  const { nameOf } = usePeople();
  const { nameOf: deskOf } = useDepartments();
  const [waiting, setWaiting] = useState<readonly { id: string; choice: Choice }[]>([]);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const inTurn = <T,>(work: () => Promise<T>): Promise<T> => {
    const done = queue.current.then(work);
    queue.current = done.catch(() => undefined);
    return done;
  };
  const saved = useRef<ReportDetail | null>(null);
  /** As it was saved last: newer than what the page may have been drawn with. */
  const newest = (report: ReportDetail) => {
    const last = saved.current;
    return last?.id === report.id && last.versione > report.versione ? last : report;
  };

  const save = async (report: ReportDetail, choice: Choice, undone: boolean) => {
    const { id } = report;
    const base = newest(report);
    const before = choicesOf(base);
    const undo = Object.fromEntries(namesOf(choice).map((name) => [name, before[name]]));
    try {
      const now = await send(base, choice);
      saved.current = now;
      await told(client, now);
      const words = wordsOf(choice, nameOf, deskOf);
      const text = undone ? `Annullato. ${words}` : words;
      setOutcome({ report: now, text, undo: undone ? null : undo, failure: null });
    } catch (failure) {
      if (failure instanceof Overtaken) {
        setConflict({ current: failure.current, mine: choice });
        await told(client, failure.current);
      } else {
        void client.invalidateQueries({ queryKey: reportKey(id) });
      }
      setOutcome({ report: base, text: null, undo: null, failure });
    }
  };
  const change = (report: ReportDetail, choice: Choice, undone = false) => {
    const mine = { id: report.id, choice };
    setWaiting((before) => [...before, mine]);
    setOutcome(null);
    setConflict(null);
    void inTurn(() => save(report, choice, undone)).then(() =>
      setWaiting((before) => before.filter((one) => one !== mine)),
    );
  };
  const saveNote: Changes['saveNote'] = (base, note) =>
    inTurn(async () => {
      const last = newest(base);
      saved.current = await send(last.note === base.note ? last : base, { note });
      return saved.current;
    });
  return { waiting, outcome, setOutcome, conflict, setConflict, change, saveNote };
}

async function told(client: QueryClient, report: ReportDetail): Promise<void> {
  // Only where the page shows it: an opened report is not kept beyond its page.
  if (client.getQueryData(reportKey(report.id)) !== undefined) {
    await adopt(client, reportKey(report.id), report);
  }
  void client.invalidateQueries({ queryKey: keyOf('/reports') });
}

export function ChangesProvider({ open, children }: { open: string | undefined; children: ReactNode }) {
  const { waiting, outcome, setOutcome, conflict, setConflict, change, saveNote } = useSending();
  const undo = outcome?.undo ? () => outcome.undo && change(outcome.report, outcome.undo, true) : undefined;
  useShortcuts(
    'Nella segnalazione',
    undo ? [{ keys: 'z', label: 'Annulla l’ultima modifica', run: undo }] : [],
  );
  const { sees } = useRights();
  const departments = useDepartments();
  /** Waits for an answer: to a department that one does not see, a report goes out of sight. */
  const [leaving, setLeaving] = useState<{ report: ReportDetail; choice: Choice } | null>(null);
  const ask: Changes['change'] = (report, choice) =>
    choice.department && !sees(choice.department) ? setLeaving({ report, choice }) : change(report, choice);
  const changes: Changes = {
    change: ask,
    saveNote,
    pending: (id) => Object.assign({}, ...waiting.filter((one) => one.id === id).map((one) => one.choice)),
    conflict: (id) => (conflict?.current.id === id ? conflict : null),
    settle: () => {
      setConflict(null);
      setOutcome(null);
    },
  };
  return (
    <ChangesContext value={changes}>
      {children}
      <Confirm
        open={leaving !== null}
        title="Non vedrai più questa segnalazione"
        confirmLabel="Sposta"
        onCancel={() => setLeaving(null)}
        onConfirm={() => {
          setLeaving(null);
          if (leaving) {
            change(leaving.report, leaving.choice);
          }
        }}
      >
        <p>
          {departments.nameOf(leaving?.choice.department ?? '')} non è tra i reparti che vedi. Solo chi lo
          vede potrà riportarla qui.
        </p>
      </Confirm>
      <News outcome={outcome} open={open} onUndo={undo} onDone={() => setOutcome(null)} />
    </ChangesContext>
  );
}

/** How long a change can be taken back by pointing, in milliseconds. */
const KEPT_MS = 10_000;

interface NewsProps {
  outcome: Outcome | null;
  open: string | undefined;
  onUndo: (() => void) | undefined;
  onDone: () => void;
}

/** The outcome of the last change, below everything. The live region exists before its first message. */
function News({ outcome, open, onUndo, onDone }: NewsProps) {
  const text = outcome?.text ?? null;
  const passing = usePassing(text, KEPT_MS, onDone);
  const elsewhere = outcome && outcome.report.id !== open ? outcome.report : null;
  const whose = elsewhere ? reporterName(elsewhere) : null;
  return (
    <div className={styles.news} {...passing}>
      <div role="status">
        {text === null ? null : (
          <Row className={styles.toast} justify="between" nowrap>
            <p>
              {whose ? `${whose}: ` : null}
              {text}
            </p>
            {onUndo ? (
              <Button variant="quiet" aria-keyshortcuts="z" onClick={onUndo}>
                Annulla
              </Button>
            ) : null}
          </Row>
        )}
      </div>
      {outcome?.failure instanceof Overtaken && !elsewhere ? null : (
        <Failure
          of={{ failure: outcome?.failure, dismissFailure: onDone }}
          title={whose ? `Modifica non salvata: ${whose}` : 'Modifica non salvata'}
        />
      )}
      {elsewhere && outcome?.failure ? (
        <Link to={paths.report(elsewhere.id)}>Apri la segnalazione</Link>
      ) : null}
    </div>
  );
}
