/** The edits of two over one callout. Must never let what one of them wrote go unless the other has seen it. */
import { get } from 'react-hook-form';
import type { Callout, CalloutQuestion } from '../../shared/api/schema';
import type { FieldChanges } from '../common/kept';
import { END } from './draft';

type Questions = readonly CalloutQuestion[];

/** What both changed, each in another way; `theirs` is what the server holds, undefined for a question that is gone there. */
export interface Collision {
  /** The field by its dotted name. */
  field: string;
  /** Of a question. */
  key?: string;
  theirs: unknown;
}

export const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const find = (questions: Questions, key: string) => questions.find((question) => question.key === key);
const keysOf = (questions: Questions) => questions.map(({ key }) => key);

/** What the draft holds where both have changed it. */
export const mineOf = (draft: Callout, { field, key }: Collision): unknown =>
  key === undefined ? get(draft, field) : find(draft.questions, key);

/** The keys of both, in the order of the first; what only the other has stands behind what it follows there. */
const joined = (lead: readonly string[], other: readonly string[]) =>
  other.reduce<readonly string[]>(
    (all, key, at) => (all.includes(key) ? all : all.toSpliced(all.indexOf(other[at - 1] ?? '') + 1, 0, key)),
    lead,
  );

/** Without routes to questions that are no more. */
function routed(questions: Questions): CalloutQuestion[] {
  const known = keysOf(questions);
  const leads = (next: string | null) => next === null || next.startsWith(END) || known.includes(next);
  return questions.map((question) => ({
    ...question,
    options: question.options.map((option) => (leads(option.next) ? option : { ...option, next: null })),
  }));
}

/** In the order of that one of the two who changed it, and of the own where both did. */
function orderOf(base: Questions, mine: Questions, theirs: Questions): readonly string[] {
  const moved = !same(keysOf(mine), keysOf(base));
  return moved ? joined(keysOf(mine), keysOf(theirs)) : joined(keysOf(theirs), keysOf(mine));
}

function mergedQuestions(base: Questions, mine: Questions, theirs: Questions) {
  const collisions: Collision[] = [];
  const merged = orderOf(base, mine, theirs).map((key) => {
    const [was, own, is] = [find(base, key), find(mine, key), find(theirs, key)];
    if (same(own, was)) {
      return is;
    }
    if (!same(is, was) && !same(is, own)) {
      collisions.push({ field: 'questions', key, theirs: is });
    }
    return own;
  });
  return { questions: routed(merged.filter((question) => question !== undefined)), collisions };
}

/** The own changes over what the server holds by now, and what both changed, which stays as one has it. */
export function merge(changes: FieldChanges, base: Callout, theirs: Callout) {
  const { questions: own, ...others } = changes;
  const both = Object.keys(others).filter(
    (field) => !same(get(base, field), get(theirs, field)) && !same(others[field], get(theirs, field)),
  );
  const collisions: Collision[] = both.map((field) => ({ field, theirs: get(theirs, field) }));
  if (own === undefined) {
    return { changes, collisions };
  }
  const asked = mergedQuestions(base.questions, own as Questions, theirs.questions);
  return {
    changes: { ...others, questions: asked.questions },
    collisions: [...collisions, ...asked.collisions],
  };
}

/** The changes that take what the server holds. */
export function taken(draft: Callout, { field, key, theirs }: Collision, stored: Questions): FieldChanges {
  if (key === undefined) {
    return { [field]: theirs };
  }
  const order = joined(keysOf(draft.questions), keysOf(stored)).filter(
    (one) => one === key || find(draft.questions, one),
  );
  const chosen = order.map((one) => (one === key ? (theirs as CalloutQuestion) : find(draft.questions, one)));
  return { questions: routed(chosen.filter((question) => question !== undefined)) };
}
