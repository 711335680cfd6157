/** Which reports of the list are chosen for a change of many: some by their versions, or all of the filter. */
import { createContext, type ReactNode, useContext, useRef, useState } from 'react';
import type { ReportRow } from '../../shared/api/schema';
import styles from './bulk.module.css';

interface Chosen {
  id: string;
  version: number;
}

interface Selection {
  chosen: readonly Chosen[];
  /** Every report of the filter, those on other pages too. */
  whole: boolean;
  setWhole: (whole: boolean) => void;
  toggle: (row: ReportRow, range: boolean) => void;
  choose: (rows: readonly ReportRow[]) => void;
  clear: () => void;
}

const SelectionContext = createContext<Selection | null>(null);

export function useSelection(): Selection {
  const selection = useContext(SelectionContext);
  if (!selection) {
    throw new Error('a selection needs a SelectionProvider above it');
  }
  return selection;
}

const shown = ({ id, versione }: ReportRow): Chosen => ({ id, version: versione });

interface SelectionProviderProps {
  /** The rows of the page, in their order: between two of them lies a range. */
  rows: readonly ReportRow[];
  /** What the rows are of: with another list nothing is chosen. */
  of: string;
  children: ReactNode;
}

export function SelectionProvider({ rows, of, children }: SelectionProviderProps) {
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const [whole, setWhole] = useState(false);
  const last = useRef<string | null>(null);
  const [scope, setScope] = useState(of);
  // Not by a key: the rows would be drawn anew, and the focus on one of them be lost.
  if (scope !== of) {
    setScope(of);
    setChosen([]);
    setWhole(false);
  }
  const toggle = (row: ReportRow, range: boolean) => {
    const [from, to] = [rows.findIndex(({ id }) => id === last.current), rows.indexOf(row)];
    const span = range && from >= 0 ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : [row];
    const off = chosen.some(({ id }) => id === row.id);
    const rest = chosen.filter(({ id }) => !span.some((one) => one.id === id));
    setChosen(off ? rest : [...rest, ...span.map(shown)]);
    setWhole(false);
    last.current = row.id;
  };
  const clear = () => {
    setChosen([]);
    setWhole(false);
  };
  const choose = (all: readonly ReportRow[]) => setChosen(all.map(shown));
  return (
    <SelectionContext value={{ chosen, whole, setWhole, toggle, choose, clear }}>{children}</SelectionContext>
  );
}

/** Chooses a row; with the shift key all from the one chosen before to this. */
export function SelectBox({ row }: { row: ReportRow }) {
  const { chosen, whole, toggle } = useSelection();
  return (
    <label className={styles.box}>
      <input
        type="checkbox"
        checked={whole || chosen.some(({ id }) => id === row.id)}
        onChange={(event) =>
          toggle(row, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)
        }
      />
      <span className="visually-hidden">
        Seleziona la segnalazione di {row.nome} {row.cognome}
      </span>
    </label>
  );
}
