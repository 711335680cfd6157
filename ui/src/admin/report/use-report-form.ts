/**
 * What an editor types over a report that others may change meanwhile. Must never overwrite or forget typed text unless
 * its author said so (PRODUCT.md §4).
 */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { call } from '../../shared/api/client';
import type { ReportDetail } from '../../shared/api/schema';
import { type Action, useAction } from '../common/action';
import type { Desk } from '../common/departments';
import { isProblem } from '../common/errors';
import type { Changes } from '../common/forms/kept';
import { useEditForm } from '../common/forms/use-edit-form';
import type { Stato } from '../common/stato';
import { adopt } from '../common/use-read';
import { reportKey } from './queries';

export interface Values {
  stato: Stato;
  department: Desk;
  note: string;
  /** The version the typing started from: what a save compares with. */
  versione: number;
}

export function valuesOf({ stato, department, note, versione }: ReportDetail): Values {
  return { stato, department, note: note ?? '', versione };
}

type Shown = Pick<Values, 'stato' | 'department' | 'note'>;

function sameValues(one: Shown, other: Shown): boolean {
  return one.stato === other.stato && one.department === other.department && one.note === other.note;
}

export interface ReportForm extends Omit<Action, 'run' | 'announce'> {
  form: UseFormReturn<Values>;
  dirty: boolean;
  /** The typed text comes from a session that ended before it was saved. */
  recovered: boolean;
  dismissRecovered: () => void;
  /** Another person has saved since the typing began. */
  overtaken: boolean;
  /** Somebody else's save that stands in the way, until the editor has chosen. */
  conflict: ReportDetail | null;
  setStato: (stato: Stato) => void;
  save: () => void;
  keepMine: () => void;
  takeSaved: () => void;
  /** Brings back the typed text that was given up for the saved version; null where none was. */
  bringBack: (() => void) | null;
}

export const formName = (id: string) => `report ${id}`;

type Outcome = { kind: 'saved'; report: ReportDetail } | { kind: 'refused'; current: ReportDetail };

/**
 * Sends the changes on top of the version they were typed over; once more by itself when nothing they touch has changed. Where they
 * stand in the report already they are saved: an earlier answer was lost on its way.
 */
async function send(id: string, base: Values, sent: Partial<Shown>): Promise<Outcome> {
  const patch = (versione: number) =>
    call('patch', '/reports/{id}', { path: { id }, body: sent, ifMatch: versione });
  try {
    return { kind: 'saved', report: await patch(base.versione) };
  } catch (error) {
    if (!isProblem(error, 'versione-superata') || !error.current) {
      throw error;
    }
    const stored = valuesOf(error.current);
    if (sameValues({ ...stored, ...sent }, stored)) {
      return { kind: 'saved', report: error.current };
    }
    if (!sameValues(stored, base)) {
      return { kind: 'refused', current: error.current };
    }
    return { kind: 'saved', report: await patch(error.current.versione) };
  }
}

/** The form over one report: what is typed, and what becomes of it. */
export function useReportForm(report: ReportDetail): ReportForm {
  const { id } = report;
  const client = useQueryClient();
  const edit = useEditForm(formName(id), valuesOf(report));
  const { form, changed, changes, base, rebase } = edit;
  const { run, announce, ...action } = useAction();
  const [overtaken, setOvertaken] = useState(false);
  const [conflict, setConflict] = useState<ReportDetail | null>(null);
  const [discarded, setDiscarded] = useState<Changes | null>(null);

  useEffect(() => {
    const values = valuesOf(report);
    if (values.versione <= base().versione) {
      return;
    }
    if (conflict) {
      setConflict(report.versione > conflict.versione ? report : conflict);
    } else if (Object.keys(changes()).length === 0 || sameValues(values, base())) {
      // Clean, or changed only in parts the form does not show: nothing typed is at stake.
      rebase(values);
    } else {
      setOvertaken(true);
    }
  }, [report, conflict, base, changes, rebase]);

  const submit = async (sent: Partial<Shown>) => {
    form.clearErrors();
    try {
      const outcome = await send(id, base(), sent);
      setOvertaken(false);
      if (outcome.kind === 'refused') {
        setConflict(outcome.current);
        await adopt(client, reportKey(id), outcome.current, ['/reports']);
        return null;
      }
      rebase(valuesOf(outcome.report), { ...sent });
      edit.dismissRecovered();
      setDiscarded(null);
      await adopt(client, reportKey(id), outcome.report, ['/reports']);
      return 'Modifiche salvate.';
    } catch (error) {
      if (isProblem(error, 'cancellata')) {
        // The page says so as soon as it has heard it itself.
        await client.invalidateQueries({ queryKey: reportKey(id) });
      } else if (isProblem(error, 'dati-non-validi')) {
        edit.refuse(error.errors);
      }
      throw error;
    }
  };
  const settle = (chosen: ReportDetail, dropped = {}) => {
    rebase(valuesOf(chosen), dropped);
    setConflict(null);
    setOvertaken(false);
  };
  const save = () => {
    if (changed.length > 0 && !conflict) {
      void run(() => submit(changes()));
    }
  };
  const keepMine = () => {
    if (conflict) {
      settle(conflict);
      const mine = changes();
      if (Object.keys(mine).length > 0) {
        void run(() => submit(mine));
      } else {
        announce('La versione salvata contiene già le tue modifiche.');
      }
    }
  };
  const takeSaved = () => {
    if (conflict) {
      setDiscarded(changes());
      settle(conflict, changes());
    }
  };
  return {
    ...action,
    form,
    dirty: changed.length > 0,
    recovered: edit.recovered,
    dismissRecovered: edit.dismissRecovered,
    overtaken,
    conflict,
    setStato: (stato) => edit.type({ stato }),
    save,
    keepMine,
    takeSaved,
    bringBack:
      discarded &&
      (() => {
        edit.type(discarded);
        setDiscarded(null);
      }),
  };
}
