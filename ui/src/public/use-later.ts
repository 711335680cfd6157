/** Brings what the first moment of the page does not need. Must never give up: it tells what became of a report. */
import { useEffect, useState } from 'react';

export type Later = typeof import('./later');

const AGAIN = 2000;

export function useLater(): Later | null {
  const [later, setLater] = useState<Later | null>(null);
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each count is another try
  useEffect(() => {
    let timer = 0;
    import('./later').then(setLater, () => {
      timer = window.setTimeout(() => setTries((before) => before + 1), AGAIN);
    });
    return () => window.clearTimeout(timer);
  }, [tries]);
  return later;
}
