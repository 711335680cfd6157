/** Which reports of the list are chosen for a change of many: some by their versions, or all of the filter but some. */
import { createContext, type ReactNode, useRef, useState } from 'react';
import type { ReportRow } from '../../shared/api/schema';
import { useNeeded } from '../common/use-needed';
import styles from './bulk.module.css';

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
  toggle: (row: ReportRow, range: boolean) => void;
  choose: (rows: readonly ReportRow[]) => void;
  clear: () => void;
}

const SelectionContext = createContext<Selection | null>(null);
export const useSelection = () => useNeeded(SelectionContext, 'a selection');

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
  const toggle = (row: ReportRow, range: boolean) => {
    const [from, to] = [rows.findIndex(({ id }) => id === last.current), rows.indexOf(row)];
    const span = range && from >= 0 ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : [row];
    const spanned = (id: string) => span.some((one) => one.id === id);
    last.current = row.id;
    if (whole) {
      const rest = except.filter((id) => !spanned(id));
      setExcept(except.includes(row.id) ? rest : [...rest, ...span.map(({ id }) => id)]);
      return;
    }
    const off = chosen.some(({ id }) => id === row.id);
    const rest = chosen.filter(({ id }) => !spanned(id));
    setChosen(off ? rest : [...rest, ...span.map(shown)]);
  };
  const selection: Selection = {
    chosen,
    whole,
    except,
    toggle,
    chooseWhole: () => set([], true),
    choose: (all) => set(all.map(shown), false),
    clear: () => set([], false),
  };
  return <SelectionContext value={selection}>{children}</SelectionContext>;
}

/** Chooses a row; with the shift key all from the one chosen before to this. */
export function SelectBox({ row }: { row: ReportRow }) {
  const { chosen, whole, except, toggle } = useSelection();
  const checked = whole ? !except.includes(row.id) : chosen.some(({ id }) => id === row.id);
  return (
    <label className={styles.box}>
      <input
        type="checkbox"
        checked={checked}
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
