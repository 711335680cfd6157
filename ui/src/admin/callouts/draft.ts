/** The edits of a callout. The server alone judges it and names the errors. */
import type {
  AnswerKind,
  Callout,
  CalloutDetail,
  CalloutOption,
  CalloutQuestion,
} from '../../shared/api/schema';
import { newKey } from '../../shared/lib/send-key';
import { slugOf } from '../../shared/lib/slug';
import type { Option } from '../../shared/ui/select';
import type { Rights } from '../common/session/session-context';

export const MOST = 12;
const SLUG_CHARS = 40;

export const KINDS: readonly Option<AnswerKind>[] = [
  { value: 'text', label: 'Testo' },
  { value: 'choice', label: 'Una scelta' },
  { value: 'choices', label: 'Più scelte' },
  { value: 'yes_no', label: 'Sì o no' },
  { value: 'number', label: 'Numero' },
  { value: 'date', label: 'Data' },
];

/** The address of a new callout until its title proposes another. */
export const UNNAMED = 'bozza-';

/** The last part of the address at which a callout is written that the server does not know yet. */
export const NEW = 'nuova';

/** A callout that was never saved. */
export const blank = (department: string | null): CalloutDetail => ({
  id: '',
  slug: UNNAMED + Date.now().toString(36),
  title: '',
  intro: '',
  thanks: '',
  closedText: '',
  opensAt: null,
  closesAt: null,
  department,
  labels: [],
  attachments: true,
  account: 'optional',
  personal: {
    nome: 'optional',
    cognome: 'optional',
    telefono: 'optional',
    email: 'optional',
    indirizzo: 'off',
  },
  questions: [],
  state: 'bozza',
  version: 0,
  revision: 0,
  started: 0,
  received: 0,
  days: [],
  problems: {},
});

/** The title, and the address that it proposes as long as no other was chosen. */
export function titled({ title: before, slug }: Pick<Callout, 'title' | 'slug'>, title: string) {
  const proposed = (text: string) => slugOf(text).slice(0, SLUG_CHARS).replace(/-$/, '');
  const follows = slug.startsWith(UNNAMED) || slug === proposed(before);
  return { title, slug: follows && title.trim() ? proposed(title) : slug };
}

/** Administrators, and editors of its department. */
export const mayEdit = ({ administers, edits, sees }: Rights, { department }: Pick<Callout, 'department'>) =>
  administers || (edits && department !== null && sees(department));

/** Never again the key of one that was taken away: reports may hold answers under it. */
const freeKey = (letter: string) => letter + newKey().slice(0, 6);

export const withOption = (options: readonly CalloutOption[], at = options.length): CalloutOption[] =>
  options.toSpliced(at, 0, { key: freeKey('r'), text: '', next: null });

/** The question as one of another kind; what that does not have is dropped. */
export function withKind(question: CalloutQuestion, kind: AnswerKind): CalloutQuestion {
  const own = question.kind === 'yes_no' ? [] : question.options;
  const known = own.length > 0 ? own : withOption(withOption([]));
  const listed = kind === 'choice' ? known : known.map((option) => ({ ...option, next: null }));
  const options = isListed(kind) ? listed : [];
  return { ...question, kind, min: null, max: null, options };
}

/** Whether its answers are chosen from a list of its own. */
export const isListed = (kind: AnswerKind): boolean => kind === 'choice' || kind === 'choices';

export function withQuestion(questions: readonly CalloutQuestion[], kind: AnswerKind): CalloutQuestion[] {
  const empty = { text: '', help: '', required: false, min: null, max: null, options: [] };
  return [...questions, withKind({ key: freeKey('d'), kind, ...empty }, kind)];
}

/** Questions that one message may ask. */
export const MOST_ASKED = 6;

/** Those of a callout, as many as a message may ask: their words and answers alone, as these are what is shown. */
export function ofCallout({ questions }: Pick<Callout, 'questions'>): CalloutQuestion[] {
  const plain = ({ kind, text, options }: CalloutQuestion): CalloutQuestion => {
    const own = isListed(kind) ? options : [];
    const freed = own.map((option) => ({ key: freeKey('r'), text: option.text, next: null }));
    return { key: freeKey('d'), kind, text, help: '', required: false, min: null, max: null, options: freed };
  };
  return questions.slice(0, MOST_ASKED).map(plain);
}

/** With a second one behind the question at a place: as it is, under names of its own. */
export function withCopy(questions: readonly CalloutQuestion[], at: number): CalloutQuestion[] {
  const again = questions.slice(at, at + 1).map((question) => {
    const named = (option: CalloutOption) => ({ ...option, key: freeKey('r') });
    const options = question.kind === 'yes_no' ? question.options : question.options.map(named);
    return { ...question, key: freeKey('d'), options };
  });
  return questions.toSpliced(at + 1, 0, ...again);
}

/** Without the question at a place; what led to it goes on to the next. */
export function withoutQuestion(questions: readonly CalloutQuestion[], at: number): CalloutQuestion[] {
  const gone = questions[at]?.key;
  const freed = (options: readonly CalloutOption[]) =>
    options.map((option) => (option.next === gone ? { ...option, next: null } : option));
  return questions.toSpliced(at, 1).map((question) => ({ ...question, options: freed(question.options) }));
}

/** With the question that stood at a place of `before` again, and with what led to it. */
export function withAgain(
  questions: readonly CalloutQuestion[],
  before: readonly CalloutQuestion[],
  at: number,
): CalloutQuestion[] {
  const back = before.slice(at, at + 1);
  const led = before.flatMap(({ key, options }) =>
    options.filter(({ next }) => next === back[0]?.key).map((option) => `${key} ${option.key}`),
  );
  const again = questions.map((question) => ({
    ...question,
    options: question.options.map((option) =>
      led.includes(`${question.key} ${option.key}`) ? { ...option, next: back[0]?.key ?? null } : option,
    ),
  }));
  return again.toSpliced(at, 0, ...back);
}

export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  return list.toSpliced(from, 1).toSpliced(to, 0, ...list.slice(from, from + 1));
}

/** The answers to choose from, those of a yes or no included. */
export function optionsOf({ kind, options }: CalloutQuestion): readonly CalloutOption[] {
  const own = kind === 'yes_no' && options.length === 0 ? { si: 'Sì', no: 'No' } : {};
  return [...options, ...Object.entries(own).map(([key, text]) => ({ key, text, next: null }))];
}

/** Begins a route that ends the conversation, with what is said then. */
export const END = 'end:';

/** Where an answer to the question at a place may lead, and where it leads already, though it may not. */
export function routesFrom(questions: readonly CalloutQuestion[], at: number, next: string | null) {
  const targets = questions.map(({ key, text }, n) => ({ value: key, label: `Vai alla ${n + 1}. ${text}` }));
  const allowed = targets.filter(({ value }, place) => place > at || value === next);
  const [on, end] = [
    { value: '', label: 'La domanda che segue' },
    { value: END, label: 'La fine, con un testo' },
  ];
  return [on, ...allowed, end];
}

/** Where a problem of a question is: the place of the question, and within it the option in words. */
export function placeOf(field: string): { question: number; option: string } | null {
  const [, question, , option] = /^questions\.(\d+)(\.options\.(\d+))?/.exec(field) ?? [];
  return question === undefined
    ? null
    : { question: Number(question), option: option === undefined ? '' : `scelta ${Number(option) + 1}: ` };
}

/** What is missing, by field. */
export type Lacking = ReadonlyMap<string, string>;

/** The first thing that is missing in the question at a place. */
export function lackOf(lacks: Lacking, at: number): string | undefined {
  const [field, said] = [...lacks].find(([name]) => placeOf(name)?.question === at) ?? [];
  return field && `${placeOf(field)?.option}${said}`;
}
