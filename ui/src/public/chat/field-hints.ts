/** What each question asks of the keyboard and of the browser's memory. Must never judge the answer. */
import { STEPS, type Step } from './conversation';

export type FieldHint = {
  label: string;
  inputMode: 'numeric' | 'tel' | 'email' | 'text';
  autoComplete: string;
  autoCapitalize: 'none' | 'words' | 'sentences';
  spellCheck: boolean;
  /** A long account: the box starts taller and shows how much is written. */
  long: boolean;
};

const word = { inputMode: 'text', autoCapitalize: 'words', spellCheck: false, long: false } as const;
const account = {
  inputMode: 'text',
  autoComplete: 'off',
  autoCapitalize: 'sentences',
  spellCheck: true,
  long: true,
} as const;

const HINTS: Record<Step, FieldHint> = {
  age_check: {
    label: 'La tua età',
    inputMode: 'numeric',
    autoComplete: 'off',
    autoCapitalize: 'none',
    spellCheck: false,
    long: false,
  },
  collect_name: { ...word, label: 'Il tuo nome', autoComplete: 'given-name' },
  collect_surname: { ...word, label: 'Il tuo cognome', autoComplete: 'family-name' },
  collect_phone: {
    label: 'Il tuo cellulare',
    inputMode: 'tel',
    autoComplete: 'tel',
    autoCapitalize: 'none',
    spellCheck: false,
    long: false,
  },
  collect_email: {
    label: 'La tua email',
    inputMode: 'email',
    autoComplete: 'email',
    autoCapitalize: 'none',
    spellCheck: false,
    long: false,
  },
  collect_address: { ...word, label: 'Il tuo indirizzo', autoComplete: 'street-address' },
  investigative_questions: { ...account, label: 'La tua segnalazione' },
  collect_report: { ...account, label: 'Altre informazioni' },
  final_question: { ...account, label: 'La tua risposta' },
};

export function hintFor(step: Step): FieldHint {
  return HINTS[step];
}

/** Place of the question among all, from 1. */
export function positionOf(step: Step): number {
  const index = STEPS.indexOf(step as (typeof STEPS)[number]);
  return index < 0 ? STEPS.length : index + 1;
}
