import { describe, expect, it } from 'vitest';
import type { CalloutQuestion } from '../../shared/api/schema';
import {
  END,
  mayEdit,
  moved,
  optionsOf,
  placeOf,
  routesFrom,
  titled,
  UNNAMED,
  withAgain,
  withCopy,
  withKind,
  withOption,
  withoutQuestion,
  withQuestion,
} from './draft';

const three = ['text', 'choice', 'yes_no'] as const;
const questions = three.reduce<CalloutQuestion[]>(withQuestion, []);
const [text, choice, yesNo] = questions as [CalloutQuestion, CalloutQuestion, CalloutQuestion];

describe('the address of a callout', () => {
  const unnamed = { title: '', slug: `${UNNAMED}1234abcd` };

  it('follows the title until another was chosen', () => {
    const typed = titled(unnamed, 'Avete pagato per un posto letto?');
    expect(typed.slug).toBe('avete-pagato-per-un-posto-letto');
    expect(titled(typed, 'Affitti in nero').slug).toBe('affitti-in-nero');
    expect(titled({ title: 'Affitti', slug: 'letto' }, 'Affitti in nero').slug).toBe('letto');
  });

  it('stays one that can be saved, however the title is', () => {
    expect(titled(unnamed, ' ')).toEqual({ title: ' ', slug: unnamed.slug });
    expect(titled(unnamed, `${'a'.repeat(39)} bcd`).slug).toBe('a'.repeat(39));
  });
});

describe('questions', () => {
  it('have names of their own, also after one went', () => {
    const again = withQuestion(withoutQuestion(questions, 2), 'date');
    const more = withOption(withOption(choice.options.slice(0, 1)), 1);
    const keys = [...questions, ...again, ...choice.options, ...more].map(({ key }) => key);
    expect(again.slice(0, 2)).toEqual(questions.slice(0, 2));
    expect([more[0], more.length]).toEqual([choice.options[0], 3]);
    expect(new Set(keys).size).toBe(3 + 1 + 2 + 2);
    expect(keys.join(' ')).toMatch(/^([a-z0-9_-]{2,40} ?)+$/);
  });

  it('are copied under names of their own, those of a yes or no apart', () => {
    const routed = { ...yesNo, options: [...optionsOf(yesNo)] };
    const twice = withCopy([choice, ...withCopy([routed], 0)], 0);
    expect(twice.map(({ kind }) => kind)).toEqual(['choice', 'choice', 'yes_no', 'yes_no']);
    expect(new Set(twice.map(({ key }) => key)).size).toBe(4);
    expect(twice[1]?.options.map(({ key }) => key)).not.toEqual(choice.options.map(({ key }) => key));
    expect(twice[3]?.options).toEqual(routed.options);
  });

  it('keep of another kind what that has', () => {
    const written = {
      ...choice,
      min: 1,
      options: choice.options.map((one, at) => ({ ...one, text: `r${at + 1}`, next: yesNo.key })),
    };
    const several = withKind(written, 'choices');
    expect(several).toMatchObject({
      min: null,
      options: [
        { text: 'r1', next: null },
        { text: 'r2', next: null },
      ],
    });
    expect(withKind(written, 'text').options).toEqual([]);
    expect(
      withKind({ ...yesNo, options: [...optionsOf(yesNo)] }, 'choice').options.map(({ text: t }) => t),
    ).toEqual(['', '']);
  });

  it('change places', () => {
    expect(moved(['a', 'b', 'c', 'd'], 0, 2)).toEqual(['b', 'c', 'a', 'd']);
    expect(moved(['a', 'b', 'c', 'd'], 3, 0)).toEqual(['d', 'a', 'b', 'c']);
  });
});

describe('routes', () => {
  const values = (at: number, next: string | null = null) =>
    routesFrom(questions, at, next).map(({ value }) => value);

  it('lead on to what follows, or to an end', () => {
    expect(values(0)).toEqual(['', choice.key, yesNo.key, END]);
    expect(values(2)).toEqual(['', END]);
  });

  it('stay in sight where they lead back since questions changed places', () => {
    expect(values(2, text.key)).toEqual(['', text.key, END]);
  });

  it('go on to the next question where their own was taken away', () => {
    const routed = optionsOf(yesNo).map((option) => ({ ...option, next: text.key }));
    const left = withoutQuestion([text, { ...yesNo, options: routed }], 0);
    expect(left[0]?.options.map(({ next }) => next)).toEqual([null, null]);
  });

  it('lead there again where it comes back, beside what was changed since', () => {
    const routed = optionsOf(yesNo).map((option) => ({ ...option, next: choice.key }));
    const before = [text, choice, { ...yesNo, options: routed }];
    const after = withoutQuestion(before, 1).map((question) => ({ ...question, help: 'dopo' }));
    const again = withAgain(after, before, 1);
    expect(again.map(({ key, help }) => [key, help])).toEqual([
      [text.key, 'dopo'],
      [choice.key, ''],
      [yesNo.key, 'dopo'],
    ]);
    expect(again[2]?.options.map(({ next }) => next)).toEqual([choice.key, choice.key]);
  });

  it('of a yes or no can be chosen before any is', () => {
    expect(optionsOf(yesNo).map(({ key }) => key)).toEqual(['si', 'no']);
    expect(optionsOf(text)).toEqual([]);
  });
});

describe('a problem', () => {
  it.each([
    ['questions.3.options.1.next', { question: 3, option: 'scelta 2: ' }],
    ['questions.0.text', { question: 0, option: '' }],
    ['title', null],
    ['questions', null],
  ])('at %s is at %j', (field, place) => {
    expect(placeOf(field)).toEqual(place);
  });
});

describe('who edits a callout', () => {
  const rights = { who: null, edits: true, administers: false, sees: (desk: string) => desk === 'sanita' };

  it('are editors of its department, and administrators', () => {
    expect(mayEdit(rights, { department: 'sanita' })).toBe(true);
    expect(mayEdit(rights, { department: 'lavoro' })).toBe(false);
    expect(mayEdit(rights, { department: null })).toBe(false);
    expect(mayEdit({ ...rights, edits: false }, { department: 'sanita' })).toBe(false);
    expect(mayEdit({ ...rights, administers: true }, { department: null })).toBe(true);
  });
});
