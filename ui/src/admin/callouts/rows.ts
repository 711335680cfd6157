/** The table of answers: which rows it shows, in which order. */
import type { CalloutQuestion, CalloutReport } from '../../shared/api/schema';

export interface Order {
  /** Null for the arrival. */
  by: CalloutQuestion | null;
  down: boolean;
}

/** Also numbers, by their size. */
const { compare } = new Intl.Collator('it-IT', { numeric: true, sensitivity: 'base' });
const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

export function shownRows(rows: readonly CalloutReport[], search: string, { by, down }: Order) {
  const words = plain(search.trim());
  const said = ({ answers }: CalloutReport) =>
    ['', ...Object.values(answers)].some((text) => plain(text).includes(words));
  const value = ({ answers, data_creazione }: CalloutReport) => {
    const text = by ? (answers[by.key] ?? '') : data_creazione;
    // The days of a calendar go by the year first.
    return by?.kind === 'date' ? text.split('/').toReversed().join('/') : text;
  };
  return rows.filter(said).toSorted((one, other) => {
    const [a, b] = [value(one), value(other)];
    // Who did not answer stands last either way.
    return a && b ? compare(a, b) * (down ? -1 : 1) : Number(a === '') - Number(b === '');
  });
}
