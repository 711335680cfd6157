/** What is chosen to be covered, step by step, so that a step can be taken back. */
import { useState } from 'react';
import type { Mask, Proposal, Span } from '../../shared/api/schema';
import { isSame, isWithin, merged, overlaps, without } from './places';

export interface Choice {
  fields: readonly string[];
  spans: readonly Span[];
  left: readonly Span[];
}

export type Looked = 'open' | 'taken' | 'left';

export const choiceOf = ({ fields, spans, left = [] }: Mask): Choice => ({
  fields,
  spans: merged(spans),
  left,
});

export function lookedAt({ spans, left }: Choice, proposal: Span): Looked {
  if (isWithin(proposal, spans)) {
    return 'taken';
  }
  return left.some((one) => isSame(one, proposal)) ? 'left' : 'open';
}

/** One place in words that do not depend on the order in which it was come by. */
const spelled = ({ fields, spans, left }: Choice): string =>
  JSON.stringify([
    [...fields].sort(),
    spans.map(({ start, end }) => [start, end]),
    left.map(({ start, end }) => `${start}-${end}`).sort(),
  ]);

export const isEqual = (one: Choice, other: Choice): boolean => spelled(one) === spelled(other);

/** All that either of two covers. */
export const both = (one: Choice, other: Choice): Choice => ({
  fields: [...new Set([...one.fields, ...other.fields])],
  spans: merged([...one.spans, ...other.spans]),
  left: [...one.left, ...other.left.filter((span) => !one.left.some((known) => isSame(known, span)))],
});

export function useChoice(saved: Choice, proposals: readonly Proposal[]) {
  const [steps, setSteps] = useState<readonly Choice[]>([saved]);
  const now = steps.at(-1) ?? saved;
  const step = (change: (before: Choice) => Partial<Choice>) =>
    setSteps((before) => {
      const last = before.at(-1) ?? saved;
      const next = { ...last, ...change(last) };
      return isEqual(last, next) ? before : [...before, next];
    });
  /** What a person covers in part is to be looked at again. */
  const cover = (...places: Span[]) =>
    step(({ spans, left }) => ({
      spans: merged([...spans, ...places]),
      left: left.filter((one) => !places.some((place) => overlaps(one, place))),
    }));
  /** What a person uncovers as a whole they have looked at. */
  const uncover = (place: Span) =>
    step(({ spans, left }) => {
      const looked = proposals.filter(
        (one) => isWithin(one, [place]) && !left.some((span) => isSame(span, one)),
      );
      return {
        spans: without(spans, place),
        left: [...left, ...looked.map(({ start, end }) => ({ start, end }))],
      };
    });
  return {
    now,
    cover,
    uncover,
    toggle: (place: Span) => (isWithin(place, now.spans) ? uncover(place) : cover(place)),
    toggleField: (name: string) =>
      step(({ fields }) => ({
        fields: fields.includes(name) ? fields.filter((one) => one !== name) : [...fields, name],
      })),
    put: (choice: Choice) => step(() => choice),
    canUndo: steps.length > 1,
    undo: () => setSteps((before) => (before.length > 1 ? before.slice(0, -1) : before)),
  };
}

export type ChoiceSteps = ReturnType<typeof useChoice>;
