import { type RefObject, useEffect, useRef, useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { type Action, useAction } from '../action';
import { isProblem } from '../errors';
import type { FieldChanges } from '../kept';
import { useRefusal } from '../use-refusal';
import { type EditForm, type Merge, useEditForm } from './use-edit-form';

interface SavedFormOptions<V extends FieldValues> {
  name: string;
  /** The stored values; another object means that they were read again. */
  saved: V;
  /** Saves the changes and gives what is stored afterwards; `confirmed` when the editor was asked and insists. */
  send: (changes: FieldChanges, confirmed: boolean) => Promise<V>;
  success: string;
  /** The changes over values that others have saved meanwhile; as they are if absent. */
  merge?: Merge<V>;
  /** The server refused these fields, before they are shown as wrong. */
  onRefused?: (fields: readonly string[]) => void;
}

export interface SavedForm<V extends FieldValues> extends EditForm<V>, Omit<Action, 'run'> {
  /** There is something to save, or something typed that will be as soon as its box is left. */
  dirty: boolean;
  /** Put it on the element around the fields, so that the first wrong one can take the focus. */
  area: RefObject<HTMLDivElement | null>;
  /** Text in a box that becomes a change only when the box is left. */
  setPending: (field: string, pending: boolean) => void;
  /** True when nothing is left to save. */
  save: (confirmed?: boolean) => Promise<boolean>;
  discard: () => void;
}

/** A form that sends what was changed, and takes over what the server made of it. */
export function useSavedForm<V extends FieldValues>(options: SavedFormOptions<V>): SavedForm<V> {
  const { name, saved, send, success, merge, onRefused } = options;
  const edit = useEditForm(name, saved, merge);
  const { form, changed, changes, rebase } = edit;
  const { run, ...action } = useAction();
  const [pending, setPending] = useState<readonly string[]>([]);
  const area = useRef<HTMLDivElement>(null);

  useEffect(() => rebase(saved), [saved, rebase]);
  useRefusal(area, action.failure);

  const submit = async (confirmed: boolean) => {
    const sent = changes();
    form.clearErrors();
    try {
      rebase(await send(sent, confirmed), sent);
    } catch (error) {
      if (isProblem(error, 'dati-non-validi')) {
        onRefused?.(Object.keys(error.errors));
        edit.refuse(error.errors);
      }
      throw error;
    }
    edit.dismissRecovered();
    return success;
  };
  return {
    ...edit,
    ...action,
    area,
    dirty: changed.length > 0 || pending.length > 0,
    setPending: (field, isPending) =>
      setPending((before) => [...before.filter((other) => other !== field), ...(isPending ? [field] : [])]),
    save: async (confirmed = false) => changed.length === 0 || run(() => submit(confirmed)),
    discard: () => {
      form.reset();
      action.dismissFailure();
    },
  };
}
