import { useEffect, useState } from 'react';

const AGAIN = 2000;

/** Brings a part of the program. Must never give up: what is asked for once may be all that a person waits for. */
export function usePart<Part extends object>(wanted: boolean, load: () => Promise<Part>): Part | null {
  const [part, setPart] = useState<Part | null>(null);
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each count is another try
  useEffect(() => {
    let timer = 0;
    if (wanted) {
      load().then(setPart, () => {
        timer = window.setTimeout(() => setTries((before) => before + 1), AGAIN);
      });
    }
    return () => window.clearTimeout(timer);
  }, [wanted, tries]);
  return part;
}
