/** How a report is fitted into the window as it opens: with something new in it, that is in sight beside the account. */
import { useCallback, useRef, useState } from 'react';
import type { ReportDetail } from '../../shared/api/schema';
import { counted } from '../../shared/lib/text';

export interface Fit {
  /** What was read is folded into one line. */
  folded: boolean;
  /** The account stops after twelve lines, and its files are in that line too. */
  short: boolean;
  /** What that line holds beside what was read. */
  beside: readonly string[];
  /** Says once, when the messages have been drawn, whether something is new, and where it ends. */
  opened: (news: boolean, end: HTMLElement | null) => void;
  unfold: () => void;
}

/** Lines of the account that stay in sight, whatever is new. */
const LINES = 12;

/** Whether this ends below what can be seen: under the box to write in, or the window. */
function below(end: HTMLElement): boolean {
  const box = end.closest('article')?.querySelector(':scope > form');
  const foot = box?.getBoundingClientRect().top ?? window.innerHeight;
  return end.getBoundingClientRect().bottom > Math.min(foot, window.innerHeight);
}

/** Whether the account of the page is cut where it stops after those lines. */
function longer(end: HTMLElement): boolean {
  const text = end.closest('article')?.querySelector('[aria-labelledby="racconto"] > p');
  return text
    ? text.clientHeight > (LINES + 0.5) * Number.parseFloat(getComputedStyle(text).lineHeight)
    : false;
}

export function useFit({ attachments }: ReportDetail): Fit {
  const [state, setState] = useState<'whole' | 'folded' | 'short'>('whole');
  const [cut, setCut] = useState(false);
  const step = useRef<'coming' | 'fitting' | 'done'>('coming');
  const opened = useCallback<Fit['opened']>((news, end) => {
    if (step.current === 'coming') {
      step.current = news ? 'fitting' : 'done';
      setState(news ? 'folded' : 'whole');
    } else if (step.current === 'fitting') {
      step.current = 'done';
      if (end && below(end)) {
        setCut(longer(end));
        setState('short');
      }
    }
  }, []);
  const files = attachments.length > 0 ? [counted(attachments.length, 'file', 'file')] : [];
  const unfold = useCallback(() => setState('whole'), []);
  return {
    folded: state !== 'whole',
    short: state === 'short',
    beside: state === 'short' ? [...(cut ? ['Tutto il racconto'] : []), ...files] : [],
    opened,
    unfold,
  };
}
