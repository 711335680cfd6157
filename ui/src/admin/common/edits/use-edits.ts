import { type RefObject, useEffect, useReducer, useRef, useState } from 'react';
import { useSession } from '../../session/session-context';
import { isProblem } from '../errors';
import {
  changesOf,
  type EditsAction,
  type Fields,
  isDirty,
  reduceEdits,
  startEdits,
  valuesOf,
} from './edits';
import { dropEdits, keepEdits, keptEdits } from './kept-edits';

export interface EditsOptions<V extends Fields> {
  /** Name of the form, the same for as long as the program runs. */
  name: string;
  /** What the server holds; another object means that it was read again. */
  saved: V;
  /** Saves the changes and gives what is stored afterwards; `confirmed` when the editor was asked and insists. */
  send: (changes: Partial<V>, confirmed: boolean) => Promise<V>;
  /** What to say after a save. */
  success: string;
  /** The server refused these fields, before they are shown as wrong. */
  onRefused?: (fields: readonly string[]) => void;
}

export interface EditsForm<V extends Fields> {
  values: V;
  /** Fields that differ from what is saved. */
  changed: ReadonlySet<string>;
  /** There is something to save, or something typed that will be as soon as its box is left. */
  dirty: boolean;
  saving: boolean;
  /** What the server found wrong, by field; goes with the first change of that field. */
  errors: Readonly<Record<string, string>>;
  /** Why the last save failed; stays until dismissed, changed back or saved. */
  failure: unknown;
  news: { text: string } | null;
  /** The changes come from a session that ended before they were saved. */
  recovered: boolean;
  /** Put it on the element around the fields, so that the first wrong one can take the focus. */
  area: RefObject<HTMLDivElement | null>;
  set: <K extends keyof V & string>(key: K, value: V[K]) => void;
  /** Text in a box that becomes a change only when the box is left. */
  setPending: (key: string, pending: boolean) => void;
  save: (confirmed?: boolean) => void;
  discard: () => void;
  /** Shows what another call than a save found wrong with fields as they stand. */
  refuse: (errors: Readonly<Record<string, string>>) => void;
  /** Good news of something else than a save. */
  announce: (text: string) => void;
  dismissFailure: () => void;
  dismissNews: () => void;
  dismissRecovered: () => void;
}

type Reducer<V extends Fields> = (
  edits: ReturnType<typeof startEdits<V>>,
  action: EditsAction<V>,
) => ReturnType<typeof startEdits<V>>;

/** A form over one section of the settings: what is typed, and what becomes of it. */
export function useEdits<V extends Fields>(options: EditsOptions<V>): EditsForm<V> {
  const { name, saved, send, success, onRefused } = options;
  const [edits, dispatch] = useReducer(reduceEdits as Reducer<V>, saved, (base) =>
    startEdits(base, keptEdits(name) as Partial<V> | undefined),
  );
  const [recovered, setRecovered] = useState(() => keptEdits(name) !== undefined);
  const [saving, setSaving] = useState(false);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [failure, setFailure] = useState<unknown>(null);
  const [news, setNews] = useState<{ text: string } | null>(null);
  const [pending, setPending] = useState<readonly string[]>([]);
  const area = useRef<HTMLDivElement>(null);
  const changes = changesOf(edits);
  const changed = isDirty(edits);
  const dirty = changed || pending.length > 0;

  useEffect(() => dispatch({ type: 'server', saved }), [saved]);
  useKeptThroughLogin(name, changed ? edits.typed : null);
  useFocusOnRefusal(area, failure);

  const submit = async (sent: Partial<V>, confirmed: boolean) => {
    setSaving(true);
    setFailure(null);
    setErrors({});
    setNews(null);
    try {
      dispatch({ type: 'saved', saved: await send(sent, confirmed), sent });
      setNews({ text: success });
      setRecovered(false);
    } catch (error) {
      if (isProblem(error, 'dati-non-validi')) {
        onRefused?.(Object.keys(error.errors));
        setErrors(error.errors);
      }
      setFailure(error);
    } finally {
      setSaving(false);
    }
  };

  return {
    values: valuesOf(edits),
    changed: new Set(Object.keys(changes)),
    dirty,
    saving,
    errors,
    failure,
    news,
    recovered: recovered && changed,
    area,
    set: (key, value) => {
      dispatch({ type: 'typed', changes: { [key]: value } as unknown as Partial<V> });
      setErrors((before) => Object.fromEntries(Object.entries(before).filter(([field]) => field !== key)));
    },
    setPending: (key, isPending) =>
      setPending((before) => {
        const others = before.filter((other) => other !== key);
        return isPending ? [...others, key] : others;
      }),
    save: (confirmed = false) => {
      if (changed && !saving) {
        void submit(changes, confirmed);
      }
    },
    discard: () => {
      dispatch({ type: 'discard' });
      setErrors({});
      setFailure(null);
    },
    refuse: (found) => setErrors((before) => ({ ...before, ...found })),
    announce: (text) => setNews({ text }),
    dismissFailure: () => setFailure(null),
    dismissNews: () => setNews(null),
    dismissRecovered: () => setRecovered(false),
  };
}

/** The end of a session takes the page away, but not what was typed on it. */
function useKeptThroughLogin(name: string, unsaved: Partial<Fields> | null): void {
  const session = useSession();
  const latest = useRef(unsaved);
  useEffect(() => {
    latest.current = unsaved;
  }, [unsaved]);
  useEffect(() => {
    // From here on the changes live in the form again.
    dropEdits(name);
    return session.onEnd((reason) => {
      if (reason !== 'logout' && latest.current) {
        keepEdits(name, latest.current);
      }
    });
  }, [session, name]);
}

function useFocusOnRefusal(area: RefObject<HTMLElement | null>, failure: unknown): void {
  useEffect(() => {
    if (isProblem(failure, 'dati-non-validi')) {
      const first = area.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
      first?.focus({ preventScroll: true });
      // In the middle, so that neither the bar below nor the one above hides it or its message.
      first?.scrollIntoView({ block: 'center' });
    }
  }, [area, failure]);
}
