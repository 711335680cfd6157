import type { Step } from './conversation';
import { HINTS } from './field-hints';

export function Correct({ step, onCorrect }: { step: Step; onCorrect: (step: Step) => void }) {
  return (
    <button type="button" className="bubble-act" onClick={() => onCorrect(step)}>
      Correggi<span className="visually-hidden">: {HINTS[step].label}</span>
    </button>
  );
}
