/** A form over what others may save meanwhile. Must never lose what was typed unless its author said so. */
import { useCallback, useEffect, useRef, useState } from 'react';
import {
  type DefaultValues,
  type FieldValues,
  type Path,
  type PathValue,
  type UseFormReturn,
  useForm,
} from 'react-hook-form';
import { type FieldChanges, kept } from '../kept';
import { useSession } from '../session/session-context';

export interface EditForm<V extends FieldValues> {
  form: UseFormReturn<V>;
  /** Dotted names of the fields that differ from what is saved. */
  changed: readonly string[];
  changes: () => FieldChanges;
  base: () => V;
  /** Changes fields as typing does. */
  type: (changes: FieldChanges) => void;
  refuse: (errors: Readonly<Record<string, string>>) => void;
  /** Lays the changes over what the server holds by now, without those among them that were `sent`. */
  rebase: (saved: V, sent?: FieldChanges) => void;
  /** The changes come from a session that ended before they were saved. */
  recovered: boolean;
  dismissRecovered: () => void;
}

/** A list is one field: its places are no names, as what stands there moves. */
function namesOf(values: object, prefix = ''): string[] {
  return Object.entries(values).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? namesOf(value, `${prefix}${key}.`)
      : [prefix + key],
  );
}

/** The changes to lay over newer values, from what they were made over. */
export type Merge<V> = (changes: FieldChanges, base: V, newer: V) => FieldChanges;

const asTheyAre = (changes: FieldChanges) => changes;

/** `name`: the same for as long as the program runs; `saved` counts at the beginning, `rebase` brings what is newer. */
export function useEditForm<V extends FieldValues>(
  name: string,
  saved: V,
  merge: Merge<V> = asTheyAre,
): EditForm<V> {
  const [start] = useState(() => kept.get(name));
  const base = useRef((start?.base ?? saved) as V);
  const form = useForm<V>({ defaultValues: base.current as DefaultValues<V>, mode: 'onChange' });
  const { getValues, getFieldState, reset, setValue } = form;
  // Reading it makes the form library tell when a field begins or ceases to differ.
  form.formState.dirtyFields;
  const changes = useCallback((): FieldChanges => {
    const names = namesOf(getValues()).filter((field) => getFieldState(field as Path<V>).isDirty);
    return Object.fromEntries(names.map((field) => [field, getValues(field as Path<V>)]));
  }, [getValues, getFieldState]);
  const type = useCallback(
    (typed: FieldChanges) => {
      for (const [field, value] of Object.entries(typed)) {
        setValue(field as Path<V>, value as PathValue<V, Path<V>>, { shouldDirty: true });
      }
    },
    [setValue],
  );
  const rebase = useCallback(
    (newer: V, sent?: FieldChanges) => {
      const left = Object.entries(changes()).filter(([field, value]) => sent?.[field] !== value);
      const mine = Object.fromEntries(left);
      // What was sent is no change of others.
      const merged = sent ? mine : merge(mine, base.current, newer);
      base.current = newer;
      reset(newer, { keepErrors: true });
      type(merged);
    },
    [changes, merge, reset, type],
  );
  const [recovered, setRecovered] = useState(start !== undefined);

  // The end of a session takes the page away, but not what was typed on it.
  const session = useSession();
  useEffect(() => {
    type(kept.get(name)?.changes ?? {});
    kept.delete(name);
    return session.onEnd((reason) => {
      const typed = changes();
      if (reason !== 'logout' && Object.keys(typed).length > 0) {
        kept.set(name, { base: base.current, changes: typed });
      }
    });
  }, [session, name, changes, type]);

  const changed = Object.keys(changes());
  return {
    form,
    changed,
    changes,
    base: useCallback(() => base.current, []),
    type,
    refuse: (errors) => {
      for (const [field, message] of Object.entries(errors)) {
        form.setError(field as Path<V>, { type: 'server', message });
      }
    },
    rebase,
    recovered: recovered && changed.length > 0,
    dismissRecovered: () => setRecovered(false),
  };
}
