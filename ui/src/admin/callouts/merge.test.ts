import { describe, expect, it } from 'vitest';
import type { Callout, CalloutQuestion } from '../../shared/api/schema';
import { blank, withoutQuestion } from './draft';
import { merge, taken } from './merge';

const asks = (key: string, text: string): CalloutQuestion => ({
  key,
  text,
  kind: 'text',
  help: '',
  required: false,
  min: null,
  max: null,
  options: [],
});
const [a, b, c, d] = [asks('a', 'Dove?'), asks('b', 'Quanto?'), asks('c', 'Chi?'), asks('d', 'Da quando?')];
const of = (questions: CalloutQuestion[]): Callout => ({ ...blank('lavoro'), questions });
const texts = (questions: unknown) => (questions as CalloutQuestion[]).map(({ text }) => text);
const asked = (question: CalloutQuestion, text: string) => ({ ...question, text });

describe('two over one callout', () => {
  it.each([
    ['another question each', [asked(a, 'A?'), b], [a, asked(b, 'B?')], ['A?', 'B?'], []],
    ['the same one', [asked(a, 'A?'), b], [asked(a, 'Altro?'), b], ['A?', 'Quanto?'], ['a']],
    ['the same one alike', [asked(a, 'A?'), b], [asked(a, 'A?'), b], ['A?', 'Quanto?'], []],
    ['each with a new one', [a, b, c], [a, d, b], ['Dove?', 'Da quando?', 'Quanto?', 'Chi?'], []],
    ['one moves, one writes', [b, a], [asked(a, 'A?'), b], ['Quanto?', 'A?'], []],
    ['one writes, one moves', [asked(a, 'A?'), b], [b, a], ['Quanto?', 'A?'], []],
    ['one deletes what the other left', [b], [a, asked(b, 'B?')], ['B?'], []],
    ['one writes where the other deletes', [asked(a, 'A?'), b], [b], ['A?', 'Quanto?'], ['a']],
    ['one deletes where the other writes', [b], [asked(a, 'A?'), b], ['Quanto?'], ['a']],
  ])('%s', (_, mine, theirs, wanted, both) => {
    const { changes, collisions } = merge({ questions: mine }, of([a, b]), of(theirs));
    expect(texts(changes.questions).toSorted()).toEqual(wanted.toSorted());
    expect(texts(changes.questions)).toEqual(wanted);
    expect(collisions.map(({ key }) => key)).toEqual(both);
    // Each of them gives way to what the other has.
    for (const collision of collisions) {
      const draft = of(changes.questions as CalloutQuestion[]);
      expect(texts(taken(draft, collision, theirs).questions)).toEqual(texts(theirs));
    }
  });

  it('collide in a field only where both changed it, each otherwise', () => {
    const base = of([]);
    const theirs = { ...base, title: 'Di Anna', intro: 'Di Anna', thanks: 'Grazie' };
    const mine = { title: 'Mio', thanks: 'Grazie', 'personal.email': 'required' };
    const { changes, collisions } = merge(mine, base, theirs);
    expect(changes).toBe(mine);
    expect(collisions).toEqual([{ field: 'title', theirs: 'Di Anna' }]);
  });

  it('leave no route to a question that one of them took away', () => {
    const options = [{ key: 'r', text: 'Sì', next: 'b' }];
    const leads: CalloutQuestion = { ...a, kind: 'choice', options: [] };
    const base = of([leads, b]);
    const theirs = of(withoutQuestion(base.questions, 1));
    const { changes } = merge({ questions: [{ ...leads, options }, b] }, base, theirs);
    expect(changes.questions).toMatchObject([{ key: 'a', options: [{ text: 'Sì', next: null }] }]);
  });
});
