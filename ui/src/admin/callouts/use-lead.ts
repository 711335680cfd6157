/** Which question is open, and the way to a field, whatever it is folded in. */
import { useEffect, useState } from 'react';
import type { CalloutQuestion } from '../../shared/api/schema';
import { placeOf } from './draft';

export interface Way {
  /** The key of the one question that is open. */
  opened: string | null;
  open: (key: string | null) => void;
  /** Gives the focus to the field of that name, once these questions are drawn. */
  lead: (field: string, questions: readonly CalloutQuestion[]) => void;
}

export function useLead(questions: readonly CalloutQuestion[], first: string | undefined): Way {
  const keyAt = (field: string, among: readonly CalloutQuestion[]) =>
    among[placeOf(field)?.question ?? -1]?.key ?? null;
  const [opened, open] = useState(() => keyAt(first ?? '', questions));
  const [aim, setAim] = useState(first === undefined ? null : { field: first });
  useEffect(() => {
    if (aim) {
      focusOn(aim.field);
    }
  }, [aim]);
  const lead: Way['lead'] = (field, among) => {
    open((before) => keyAt(field, among) ?? before);
    setAim({ field });
  };
  return { opened, open, lead };
}

/** Height of the bars at the head and foot of the page, in px. */
const BARS = 96;

function focusOn(field: string) {
  const control = document.querySelector<HTMLElement>(`[name="${field}"]`);
  const fold = control?.closest('details');
  if (fold) {
    fold.open = true;
  }
  control?.focus({ preventScroll: true });
  const place = control?.getBoundingClientRect();
  // A field in sight stays where it is: the page keeps its head.
  if (place && (place.top < BARS || place.bottom > window.innerHeight - BARS)) {
    control?.scrollIntoView({ block: 'center' });
  }
}
