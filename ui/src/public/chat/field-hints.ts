/** The questions in their order, and what each asks of the keyboard and of the browser. Must never judge the answer. */
import type { Step } from './conversation';

export type FieldHint = {
  label: string;
  inputMode: 'numeric' | 'tel' | 'email' | 'text';
  autoComplete: string;
  autoCapitalize: 'none' | 'words' | 'sentences';
  /** A long account: the box starts taller, checks the spelling and shows how much is written. */
  long: boolean;
};

const field = (
  label: string,
  inputMode: FieldHint['inputMode'],
  autoComplete = 'off',
  autoCapitalize: FieldHint['autoCapitalize'] = 'none',
  long = false,
): FieldHint => ({ label, inputMode, autoComplete, autoCapitalize, long });

const account = (label: string) => field(label, 'text', 'off', 'sentences', true);

export const HINTS: Record<Step, FieldHint> = {
  age_check: field('La tua età', 'numeric'),
  collect_name: field('Il tuo nome', 'text', 'given-name', 'words'),
  collect_surname: field('Il tuo cognome', 'text', 'family-name', 'words'),
  collect_phone: field('Il tuo cellulare', 'tel', 'tel'),
  collect_email: field('La tua email', 'email', 'email'),
  collect_address: field('Il tuo indirizzo', 'text', 'street-address', 'words'),
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
