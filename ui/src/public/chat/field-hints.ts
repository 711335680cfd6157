/** The questions in their order, and what each asks of the keyboard and of the browser. Must never judge the answer. */
import type { Step } from './conversation';

export type FieldHint = {
  label: string;
  /** A long account: the field grows, checks the spelling and has paragraphs. */
  long: boolean;
  /** What the field gives on to its element. */
  input: {
    type?: 'tel' | 'email';
    inputMode?: 'numeric' | 'tel' | 'email';
    autoComplete: string;
    autoCapitalize: 'none' | 'words' | 'sentences';
  };
};

const field = (
  label: string,
  autoComplete: string,
  autoCapitalize: FieldHint['input']['autoCapitalize'],
  type?: 'tel' | 'email',
): FieldHint => ({
  label,
  long: false,
  input: { autoComplete, autoCapitalize, ...(type && { type, inputMode: type }) },
});

const account = (label: string): FieldHint => ({
  label,
  long: true,
  input: { autoComplete: 'off', autoCapitalize: 'sentences' },
});

export const HINTS: Record<Step, FieldHint> = {
  age_check: {
    label: 'La tua età',
    long: false,
    input: { inputMode: 'numeric', autoComplete: 'off', autoCapitalize: 'none' },
  },
  collect_name: field('Il tuo nome', 'given-name', 'words'),
  collect_surname: field('Il tuo cognome', 'family-name', 'words'),
  collect_phone: field('Il tuo cellulare', 'tel', 'none', 'tel'),
  collect_email: field('La tua email', 'email', 'none', 'email'),
  collect_address: field('Il tuo indirizzo', 'street-address', 'words'),
  investigative_questions: account('La tua segnalazione'),
  collect_report: account('Altre informazioni'),
  final_question: account('La tua risposta'),
};

/** `final_question` only ever closes, so it counts as the last. */
export const STEPS: readonly Step[] = (Object.keys(HINTS) as Step[]).filter(
  (step) => step !== 'final_question',
);

export function positionOf(step: Step): number {
  const index = STEPS.indexOf(step);
  return index < 0 ? STEPS.length : index + 1;
}
