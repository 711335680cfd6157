/** The questions in their order, and what each asks of the keyboard and of the browser. Must never judge the answer. */
import type { Conversation, Step } from './conversation';

export type FieldHint = {
  label: string;
  /** On the button by which it is left out, where it may be. */
  none: string;
  /** A long account: the field grows, checks the spelling and has paragraphs. */
  long: boolean;
  /** The attributes that the field passes on to its element. */
  input: {
    type?: 'tel' | 'email';
    inputMode?: 'numeric' | 'decimal' | 'tel' | 'email';
    autoComplete: string;
    autoCapitalize: 'none' | 'words' | 'sentences';
    placeholder?: string;
  };
};

const SKIP = 'Salta';

const field = (
  label: string,
  autoComplete: string,
  autoCapitalize: FieldHint['input']['autoCapitalize'],
  type?: 'tel' | 'email',
  none = type ? 'Non ce l’ho' : SKIP,
): FieldHint => ({
  label,
  none,
  long: false,
  input: { autoComplete, autoCapitalize, ...(type && { type, inputMode: type }) },
});

const account = (label: string): FieldHint => ({
  label,
  none: SKIP,
  long: true,
  input: { autoComplete: 'off', autoCapitalize: 'sentences' },
});

const HINTS: Readonly<Partial<Record<Step, FieldHint>>> = {
  age_check: {
    label: 'La tua età',
    none: SKIP,
    long: false,
    input: { inputMode: 'numeric', autoComplete: 'off', autoCapitalize: 'none' },
  },
  collect_name: field('Il tuo nome', 'given-name', 'words'),
  collect_surname: field('Il tuo cognome', 'family-name', 'words'),
  collect_phone: field('Il tuo cellulare', 'tel', 'none', 'tel'),
  collect_email: field('La tua email', 'email', 'none', 'email'),
  collect_address: field('Il tuo indirizzo', 'street-address', 'words', undefined, 'Preferisco non dirlo'),
  investigative_questions: account('La tua segnalazione'),
  collect_report: account('Altre informazioni'),
  final_question: account('La tua risposta'),
};

const ANSWER = 'La tua risposta';

/** For a question of the newsroom's own, by its kind. */
const OWN: Readonly<Partial<Record<string, FieldHint>>> = {
  text: account(ANSWER),
  number: {
    label: ANSWER,
    none: SKIP,
    long: false,
    input: { inputMode: 'decimal', autoComplete: 'off', autoCapitalize: 'none' },
  },
  // Written in words: people know a month or a year where a calendar wants a day.
  date: {
    label: 'La data, anche approssimata',
    none: SKIP,
    long: false,
    input: { autoComplete: 'off', autoCapitalize: 'none', placeholder: 'Per esempio marzo 2025' },
  },
};

export const hintOf = (step: Step, kind = ''): FieldHint =>
  HINTS[step] ?? OWN[kind] ?? field(ANSWER, 'off', 'sentences');

/** The name of an answer; `own` is the newsroom's own question that it answers. */
export const labelOf = (step: Step, own: string | null = null): string => HINTS[step]?.label ?? own ?? ANSWER;

/** Whether files may go with the answer: they belong to what is told, not to an answer among many. */
export const isTold = (step: Step): boolean => HINTS[step]?.long ?? false;

/** `final_question` only ever closes, so it counts as the last. */
export const STEPS: readonly Step[] = Object.keys(HINTS).filter((step) => step !== 'final_question');

export function positionOf(step: Step): number {
  const index = STEPS.indexOf(step);
  return index < 0 ? STEPS.length : index + 1;
}

/** The place of the open question, and how many are asked; the server knows the way through a callout, 0 until it has said. */
export function wayOf({ step, question }: Conversation, callout: boolean): readonly [number, number] {
  if (question?.places) {
    return [question.place, question.places];
  }
  return callout ? [1, 0] : [positionOf(step), STEPS.length];
}
