import type { Step } from './conversation';
import { labelOf } from './field-hints';

type Props = { step: Step; question: string | undefined; onCorrect: (step: Step) => void };

export function Correct({ step, question, onCorrect }: Props) {
  return (
    <button type="button" className="bubble-act" onClick={() => onCorrect(step)}>
      Correggi<span className="visually-hidden">: {labelOf(step, question)}</span>
    </button>
  );
}
