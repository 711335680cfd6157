import { useSyncExternalStore } from 'react';

const wide = window.matchMedia('(width >= 75rem)');

/** Whether there is room for a list and what is open of it side by side. */
export function useWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      wide.addEventListener('change', listener);
      return () => wide.removeEventListener('change', listener);
    },
    () => wide.matches,
  );
}
