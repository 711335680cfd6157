/** What the list can be narrowed by, each with its kind and its words: the field completes to these, the chips show them. */

import { now } from '../../shared/lib/clock';
import { dayOf, formatDate } from '../../shared/lib/dates';
import { useKnownCallouts } from '../common/callouts';
import { useDepartments } from '../common/departments';
import { useLabels } from '../common/labels/labels';
import { type Filters, ORIGINS, tabOf } from '../common/list/filters';
import { matches, wordsOf } from '../common/list/marked';
import { ORIGIN_NAMES } from '../common/list/report-table';
import { usePeople, usePeopleOptions } from '../common/people/people';
import { useRights } from '../common/session/session-context';
import { STATI } from '../common/stato';
import { useKnownStories } from '../common/stories';

export interface Condition {
  kind: string;
  label: string;
  change: Partial<Filters>;
}

const PERIODS = { today: 'Oggi', week: 'Ultimi 7 giorni', month: 'Ultimo mese' } as const;
export const PERIOD_OPTIONS = Object.entries(PERIODS).map(([value, label]) => ({
  value: value as keyof typeof PERIODS,
  label,
}));

const MARKS: readonly Condition[] = [
  { kind: 'Segno', label: 'Non lette', change: { unread: true } },
  { kind: 'Segno', label: 'Con file', change: { files: true } },
  { kind: 'Segno', label: 'Urgenti', change: { urgente: true } },
  { kind: 'Segno', label: 'Risposte', change: { answer: true } },
  { kind: 'Scadenza', label: 'Scadute', change: { due: 'late' } },
  { kind: 'Scadenza', label: 'In scadenza', change: { due: 'soon' } },
  { kind: 'Segno', label: 'Da ritirare', change: { withdrawal: true } },
  { kind: 'Segno', label: 'Rinviate', change: { snoozed: true } },
  { kind: 'Segno', label: 'Messe da parte', change: { aside: true } },
  { kind: 'Segno', label: 'Anche archiviate', change: { archived: true } },
  { kind: 'Ordine', label: 'Prima le più vecchie', change: { order: 'asc' } },
];

/** All that can be chosen; those that are seldom of use last. */
export function useConditions(): readonly Condition[] {
  const { seen } = useDepartments();
  const people = usePeopleOptions();
  const labels = useLabels();
  const stories = useKnownStories();
  const callouts = useKnownCallouts();
  const { who } = useRights();
  const mine = who ? [{ value: 'me', label: 'Le mie' }] : [];
  const given = people.length > 0 ? [...mine, ...people, { value: 'none', label: 'Non assegnate' }] : [];
  return [
    ...MARKS,
    ...stories.map(({ id, title }) => ({ kind: 'Storia', label: title, change: { story: id } })),
    ...given.map(({ value, label }) => ({ kind: 'Persona', label, change: { assignedTo: value } })),
    ...labels.map(({ id, name }) => ({ kind: 'Etichetta', label: name, change: { label: id } })),
    ...seen.map(({ key, name }) => ({ kind: 'Reparto', label: name, change: { department: key } })),
    ...STATI.map((stato) => ({ kind: 'Stato', label: stato, change: { stato } })),
    ...PERIOD_OPTIONS.map(({ value, label }) => ({ kind: 'Data', label, change: { period: value } })),
    ...callouts.map(({ id, title }) => ({ kind: 'Inchiesta', label: title, change: { callout: id } })),
    ...ORIGINS.map((origin) => ({ kind: 'Origine', label: ORIGIN_NAMES[origin], change: { origin } })),
  ];
}

/** What chips name: these and, of what is gone or was never offered, at least the kind. */
const NAMES: readonly (readonly [keyof Filters, string])[] = [
  ['story', 'Storia'],
  ['assignedTo', 'Persona'],
  ['label', 'Etichetta'],
  ['department', 'Reparto'],
  ['callout', 'Inchiesta'],
];

/** The conditions that are set, without the tab, and without status and period, which have fields of their own. */
export function useChips(filters: Filters): readonly Condition[] {
  const known = useConditions();
  const { nameOf } = usePeople();
  const { stato: _, period: __, [tabOf(filters) ?? 'cursor']: ___, ...rest } = filters;
  const set = new Map<string, unknown>(Object.entries(rest));
  const holds = ({ change }: Condition) =>
    Object.entries(change).every(([name, value]) => set.get(name) === value);
  const found = known.filter(holds);
  const named = new Set(found.flatMap(({ change }) => Object.keys(change)));
  const others = NAMES.filter(([name]) => set.has(name) && !named.has(name));
  const day = (name: 'from' | 'to', label: string) =>
    filters[name] ? [dated(label, `${filters[name]}T12:00:00Z`, { [name]: filters[name] })] : [];
  return [
    ...found,
    ...others.map(([name, kind]) => ({
      kind,
      label: (name === 'assignedTo' && nameOf(filters.assignedTo)) || kind,
      change: { [name]: filters[name] },
    })),
    ...day('from', 'Dal'),
    ...day('to', 'Al'),
  ];
}

const dated = (label: string, instant: string, change: Partial<Filters>): Condition => ({
  kind: 'Data',
  label: `${label} ${formatDate(instant)}`,
  change,
});

/** A day as it is written, `20/11` or `20.11.2026`: without its year the last one that is not ahead. */
function dayIn(typed: string): string | null {
  const [, day, month, year] = /^(\d{1,2})[/.-](\d{1,2})(?:[/.-](\d{4}))?$/.exec(typed.trim()) ?? [];
  if (!day || !month) {
    return null;
  }
  const today = dayOf(now());
  const rest = `${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const present = `${today.slice(0, 4)}-${rest}`;
  const written = `${year ?? Number(today.slice(0, 4)) - Number(present > today)}-${rest}`;
  const read = new Date(`${written}T12:00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(written) ? written : null;
}

function daysFor(typed: string): readonly Condition[] {
  const day = dayIn(typed);
  if (day === null) {
    return [];
  }
  const noon = `${day}T12:00:00Z`;
  return [
    dated('Il', noon, { from: day, to: day }),
    dated('Dal', noon, { from: day }),
    dated('Al', noon, { to: day }),
  ];
}

/** So many are offered at once of what was typed. */
const OFFERED = 7;

/** Letters from which on a kind is meant: `reparto sanità`. */
const KIND_LETTERS = 3;

const begins = (part: string, word: string) => matches(part.slice(0, word.length), word);

/** Whether each typed word begins one of the label; the first may begin its kind. */
function fits({ kind, label }: Condition, [first = '', ...rest]: readonly string[]): boolean {
  // 'L’inchiesta' is looked for as one word and by the one behind its apostrophe.
  const parts = label
    .split(/[\s/(«"]+/u)
    .flatMap((part) => [...wordsOf(part), ...part.split(/['’]/u).slice(1)]);
  const inLabel = (word: string) => parts.some((part) => begins(part, word));
  const named = inLabel(first) || (first.length >= KIND_LETTERS && begins(kind, first));
  return named && rest.every(inLabel);
}

/** What the typed words may mean. With nothing typed, the views and the marks. */
export function offered(known: readonly Condition[], typed: string): readonly Condition[] {
  const words = wordsOf(typed);
  return words.length === 0
    ? known.filter(({ kind }) => kind === 'Vista' || MARKS.some((mark) => mark.kind === kind))
    : [...daysFor(typed), ...known.filter((one) => fits(one, words))].slice(0, OFFERED);
}
