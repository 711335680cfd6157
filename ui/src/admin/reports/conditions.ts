/** What the list can be narrowed by, each with its kind and its words: the field completes to these, the chips show them. */

import { now } from '../../shared/lib/clock';
import { dayOf, formatDate } from '../../shared/lib/dates';
import { useKnownCallouts } from '../common/callouts';
import { CONSENT_KINDS, CONSENTS } from '../common/consents';
import { useDepartments } from '../common/departments';
import { useLabels } from '../common/labels/labels';
import { type Filters, ORIGINS, tabOf } from '../common/list/filters';
import { matches, wordsOf } from '../common/list/marked';
import { ORIGIN_NAMES } from '../common/list/report-table';
import { usePeople, usePeopleOptions } from '../common/people/people';
import { useRights } from '../common/session/session-context';
import { STATI } from '../common/stato';
import { useKnownStories } from '../common/stories';
import { DAY_WORDS, type Days, daysIn } from './days';

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
  { kind: 'Segno', label: 'In attesa di risposta', change: { waiting: true } },
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
    ...CONSENT_KINDS.map((consent) => ({ kind: 'Consenso', label: CONSENTS[consent], change: { consent } })),
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
  const { from, to } = filters;
  return [
    ...found,
    ...others.map(([name, kind]) => ({
      kind,
      label: (name === 'assignedTo' && nameOf(filters.assignedTo)) || kind,
      change: { [name]: filters[name] },
    })),
    ...(from || to ? [dated({ ...(from && { from }), ...(to && { to }) })] : []),
  ];
}

const shownDay = (day: string) => formatDate(`${day}T12:00:00Z`);

function labelOf({ from, to }: Days): string {
  if (from && to) {
    return from === to ? `Il ${shownDay(from)}` : `Dal ${shownDay(from)} al ${shownDay(to)}`;
  }
  return from ? `Dal ${shownDay(from)}` : `Al ${shownDay(to ?? '')}`;
}

const dated = (days: Days, label = labelOf(days)): Condition => ({ kind: 'Data', label, change: days });

/** The days that the typed text means. */
function daysFor(typed: string, today: string): readonly Condition[] {
  const days = daysIn(typed, today);
  const from = days?.from;
  const parts = from && from === days.to ? [{ from }, { to: from }] : [];
  return days ? [days, ...parts].map((one) => dated(one)) : [];
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

/** The words for days that one may be about to write. */
function daysBegun(typed: string, today: string): readonly Condition[] {
  const words = typed.length < KIND_LETTERS ? [] : DAY_WORDS.filter((word) => begins(word, typed));
  const read = words.map((word) => [word, daysIn(word, today)] as const);
  return read.flatMap(([word, days]) => (days ? [dated(days, `${word}: ${labelOf(days)}`)] : []));
}

/** What the typed words may mean. With nothing typed, the views and the marks. */
export function offered(known: readonly Condition[], typed: string): readonly Condition[] {
  const words = wordsOf(typed);
  if (words.length === 0) {
    return known.filter(({ kind }) => kind === 'Vista' || MARKS.some((mark) => mark.kind === kind));
  }
  const today = dayOf(now());
  const days = daysFor(typed, today);
  const begun = days.length === 0 ? daysBegun(typed.trim(), today) : [];
  return [...days, ...known.filter((one) => fits(one, words)), ...begun].slice(0, OFFERED);
}
