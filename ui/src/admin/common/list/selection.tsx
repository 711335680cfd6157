/** Which reports of the list are chosen for a change of many: some by their versions, or all of the filter but some. */
import { createContext, type ReactNode, useRef, useState } from 'react';
import type { ReportRow } from '../../../shared/api/schema';
import { reporterName } from '../reporter-name';
import { useNeeded } from '../use-needed';
import styles from './list.module.css';

interface Chosen {
  id: string;
  version: number;
}

interface Selection {
  chosen: readonly Chosen[];
  /** Every report of the filter, those on other pages too. */
  whole: boolean;
  except: readonly string[];
  chooseWhole: () => void;
  has: (row: ReportRow) => boolean;
  pick: (rows: readonly ReportRow[], on: boolean) => void;
  /** A row; with `range` all from the one before. */
  toggle: (row: ReportRow, range: boolean) => void;
  clear: () => void;
}

const SelectionContext = createContext<Selection | null>(null);
export const useSelection = () => useNeeded(SelectionContext, 'a selection');

const shown = ({ id, versione }: ReportRow): Chosen => ({ id, version: versione });

interface SelectionProviderProps {
  /** The rows of the page, in their order: between two of them lies a range. */
  rows: readonly ReportRow[];
  /** The identity of the list: in another list nothing is chosen. */
  of: string;
  children: ReactNode;
}

export function SelectionProvider({ rows, of, children }: SelectionProviderProps) {
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const [whole, setWhole] = useState(false);
  const [except, setExcept] = useState<readonly string[]>([]);
  const last = useRef<string | null>(null);
  const [scope, setScope] = useState(of);
  // Not by a key: the rows would be drawn anew, and the focus on one of them be lost.
  const set = (chosen: readonly Chosen[], whole: boolean) => {
    setChosen(chosen);
    setWhole(whole);
    setExcept([]);
  };
  if (scope !== of) {
    setScope(of);
    set([], false);
  }
  const has = ({ id }: ReportRow) => (whole ? !except.includes(id) : chosen.some((one) => one.id === id));
  const pick = (picked: readonly ReportRow[], on: boolean) => {
    const others = (id: string) => picked.every((one) => one.id !== id);
    if (whole) {
      setExcept([...except.filter(others), ...(on ? [] : picked.map(({ id }) => id))]);
    } else {
      setChosen([...chosen.filter(({ id }) => others(id)), ...(on ? picked.map(shown) : [])]);
    }
  };
  const toggle = (row: ReportRow, range: boolean) => {
    const at = (id: string | null | undefined) => rows.findIndex((one) => one.id === id);
    const [from, to] = [at(last.current), at(row.id)];
    last.current = row.id;
    const span = range && from >= 0 ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : [row];
    pick(span, !has(row));
  };
  const selection: Selection = {
    chosen,
    whole,
    except,
    has,
    pick,
    toggle,
    chooseWhole: () => set([], true),
    clear: () => set([], false),
  };
  return <SelectionContext value={selection}>{children}</SelectionContext>;
}

/** Chooses a row; with the shift key all from the one chosen before to this. */
export function SelectBox({ row }: { row: ReportRow }) {
  const { has, toggle } = useSelection();
  return (
    <label className={styles.chooser}>
      <input
        type="checkbox"
        checked={has(row)}
        onChange={(event) =>
          toggle(row, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)
        }
      />
      <span className="visually-hidden">Seleziona la segnalazione di {reporterName(row)}</span>
    </label>
  );
}
