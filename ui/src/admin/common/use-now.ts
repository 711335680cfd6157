import { useEffect, useState } from 'react';
import { now } from '../../shared/lib/clock';

/** The present, looked at again every so many milliseconds. */
export function useNow(every: number): number {
  const [present, setPresent] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setPresent(now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return present;
}
