/** Stands above list and report, so that a change is told on the next report too. Must never overwrite another's decision. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { ReportDetail } from '../../shared/api/schema';
import { Confirm } from '../../shared/ui/confirm';
import { Failure } from '../common/action';
import { useDepartments } from '../common/departments';
import { FaultText } from '../common/error-card';
import { isProblem, ToldError } from '../common/errors';
import { paths } from '../common/paths';
import { type People, usePeople } from '../common/people/people';
import { reporterName } from '../common/reporter-name';
import { useRights } from '../common/session/session-context';
import type { Stato } from '../common/stato';
import { useToast } from '../common/toast';
import { useNeeded } from '../common/use-needed';
import { adopt, keyOf } from '../common/use-read';

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

/** What was done to it, with the name of its reporter. */
function wordsOf(
  report: ReportDetail,
  choice: Choice,
  nameOf: People['nameOf'],
  deskOf: (key: string) => string,
): string {
  const name = reporterName(report);
  if (choice.stato !== undefined) {
    return `${choice.stato}: ${name}`;
  }
  if (choice.department !== undefined) {
    return `In ${deskOf(choice.department)}: ${name}`;
  }
  if (choice.assegnataA !== undefined) {
    return choice.assegnataA === null
      ? `Non più assegnata: ${name}`
      : `Assegnata a ${nameOf(choice.assegnataA)}: ${name}`;
  }
  if (choice.labels !== undefined) {
    return `Etichette cambiate: ${name}`;
  }
  if (choice.inoltrata !== undefined) {
    return `${choice.inoltrata ? 'Inoltrata alle autorità' : 'Non più inoltrata'}: ${name}`;
  }
  return `${choice.urgente ? 'Urgente' : 'Non più urgente'}: ${name}`;
}

interface Saved {
  now: ReportDetail;
  back: Choice;
}

/** A change that was not saved. */
interface Refusal {
  report: ReportDetail;
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
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const { show } = useToast();
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

  /** Gives the report as it is now, and the choice that takes this one back; null where it was refused. */
  const save = async (report: ReportDetail, choice: Choice): Promise<Saved | null> => {
    const base = newest(report);
    const before = choicesOf(base);
    try {
      const now = await send(base, choice);
      saved.current = now;
      await told(client, now);
      return { now, back: Object.fromEntries(namesOf(choice).map((name) => [name, before[name]])) };
    } catch (failure) {
      if (failure instanceof Overtaken) {
        setConflict({ current: failure.current, mine: choice });
        await told(client, failure.current);
      } else {
        void client.invalidateQueries({ queryKey: reportKey(report.id) });
      }
      setRefusal({ report: base, failure });
      return null;
    }
  };
  const begin = (report: ReportDetail, choice: Choice): Promise<Saved | null> => {
    const mine = { id: report.id, choice };
    setWaiting((before) => [...before, mine]);
    setRefusal(null);
    setConflict(null);
    const done = () => setWaiting((before) => before.filter((one) => one !== mine));
    return inTurn(() => save(report, choice)).finally(done);
  };
  const words = (report: ReportDetail, choice: Choice) => wordsOf(report, choice, nameOf, deskOf);
  const change = async (report: ReportDetail, choice: Choice) => {
    const done = await begin(report, choice);
    if (done) {
      const undo = async () =>
        (await begin(done.now, done.back)) && `Annullato. ${words(done.now, done.back)}`;
      show({ text: words(done.now, choice), undo });
    }
  };
  const saveNote: Changes['saveNote'] = (base, note) =>
    inTurn(async () => {
      const last = newest(base);
      saved.current = await send(last.note === base.note ? last : base, { note });
      return saved.current;
    });
  return { waiting, refusal, setRefusal, conflict, setConflict, change, saveNote };
}

async function told(client: QueryClient, report: ReportDetail): Promise<void> {
  // Only where the page shows it: an opened report is not kept beyond its page.
  if (client.getQueryData(reportKey(report.id)) !== undefined) {
    await adopt(client, reportKey(report.id), report);
  }
  void client.invalidateQueries({ queryKey: keyOf('/reports') });
}

export function ChangesProvider({ open, children }: { open: string | undefined; children: ReactNode }) {
  const { waiting, refusal, setRefusal, conflict, setConflict, change, saveNote } = useSending();
  const { sees } = useRights();
  const departments = useDepartments();
  /** Waits for an answer: to a department that one does not see, a report goes out of sight. */
  const [leaving, setLeaving] = useState<{ report: ReportDetail; choice: Choice } | null>(null);
  const ask: Changes['change'] = (report, choice) =>
    choice.department && !sees(choice.department)
      ? setLeaving({ report, choice })
      : void change(report, choice);
  const changes: Changes = {
    change: ask,
    saveNote,
    pending: (id) => Object.assign({}, ...waiting.filter((one) => one.id === id).map((one) => one.choice)),
    conflict: (id) => (conflict?.current.id === id ? conflict : null),
    settle: () => {
      setConflict(null);
      setRefusal(null);
    },
  };
  return (
    <ChangesContext value={changes}>
      <Refused refusal={refusal} open={open} onDone={() => setRefusal(null)} />
      {children}
      <Confirm
        open={leaving !== null}
        title="Non vedrai più questa segnalazione"
        confirmLabel="Sposta"
        onCancel={() => setLeaving(null)}
        onConfirm={() => {
          setLeaving(null);
          if (leaving) {
            void change(leaving.report, leaving.choice);
          }
        }}
      >
        <p>
          {departments.nameOf(leaving?.choice.department ?? '')} non è tra i reparti che vedi. Solo chi lo
          vede potrà riportarla qui.
        </p>
      </Confirm>
    </ChangesContext>
  );
}

interface RefusedProps {
  refusal: Refusal | null;
  open: string | undefined;
  onDone: () => void;
}

/** The change that was not saved, also once another report is open. */
function Refused({ refusal, open, onDone }: RefusedProps) {
  const elsewhere = refusal && refusal.report.id !== open ? refusal.report : null;
  // The open report shows both versions itself.
  return refusal && (elsewhere || !(refusal.failure instanceof Overtaken)) ? (
    <Failure
      of={{ failure: refusal.failure, dismissFailure: onDone }}
      title={elsewhere ? `Modifica non salvata: ${reporterName(elsewhere)}` : 'Modifica non salvata'}
    >
      <FaultText error={refusal.failure} />
      {elsewhere ? <Link to={paths.report(elsewhere.id)}>Apri la segnalazione</Link> : null}
    </Failure>
  ) : null;
}
