/** Must never overwrite or forget typed text unless its author said so (PRODUCT.md §3). */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ReportDetail } from '../../shared/api/schema';
import { useAction } from '../common/action';
import { isProblem } from '../common/errors';
import { useEditForm } from '../common/forms/use-edit-form';
import type { FieldChanges } from '../common/kept';
import { reporterName } from '../common/reporter-name';
import { useToast } from '../common/toast';
import { adopt, keyOf } from '../common/use-read';
import { Overtaken, reportKey, useChanges } from '../desk/changes';

interface NoteValues {
  note: string;
  /** The version the typing started from: what a save compares with. */
  versione: number;
}

const valuesOf = ({ note, versione }: ReportDetail): NoteValues => ({ note, versione });

export type NoteForm = ReturnType<typeof useNoteForm>;

export const formName = (id: string) => `report ${id}`;

export function useNoteForm(report: ReportDetail) {
  const { id } = report;
  const client = useQueryClient();
  const { saveNote } = useChanges();
  const edit = useEditForm(formName(id), valuesOf(report));
  const { form, changed, changes, base, rebase } = edit;
  const { run, ...action } = useAction();
  const { show } = useToast();
  const [overtaken, setOvertaken] = useState(false);
  const [conflict, setConflict] = useState<ReportDetail | null>(null);
  const [discarded, setDiscarded] = useState<FieldChanges | null>(null);

  useEffect(() => {
    const values = valuesOf(report);
    if (values.versione <= base().versione) {
      return;
    }
    if (conflict) {
      setConflict(report.versione > conflict.versione ? report : conflict);
    } else if (Object.keys(changes()).length === 0 || values.note === base().note) {
      // Clean, or something else was changed: nothing typed is at stake.
      rebase(values);
    } else {
      setOvertaken(true);
    }
  }, [report, conflict, base, changes, rebase]);

  const submit = async () => {
    const note = form.getValues('note');
    form.clearErrors();
    try {
      const saved = await saveNote({ ...report, ...base() }, note);
      rebase(valuesOf(saved), { note });
      setOvertaken(false);
      edit.dismissRecovered();
      setDiscarded(null);
      await adopt(client, reportKey(id), saved, keyOf('/reports'));
      return `Nota salvata: ${reporterName(saved)}`;
    } catch (error) {
      if (error instanceof Overtaken) {
        setOvertaken(false);
        setConflict(error.current);
        await adopt(client, reportKey(id), error.current, keyOf('/reports'));
        return null;
      }
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
      void run(submit);
    }
  };
  const keepMine = () => {
    if (conflict) {
      settle(conflict);
      if (Object.keys(changes()).length > 0) {
        void run(submit);
      } else {
        show({ text: 'La versione salvata contiene già le tue modifiche' });
      }
    }
  };
  const keepBoth = () => {
    if (conflict) {
      const mine = form.getValues('note');
      settle(conflict);
      edit.type({ note: [conflict.note, mine].filter((text) => text.trim() !== '').join('\n\n') });
      void run(submit);
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
    save,
    keepBoth,
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
