/** How many reports have arrived unseen by this tab. Must hold a number and nothing of the reports. */
import { useSyncExternalStore } from 'react';

let unseen = 0;
const listeners = new Set<() => void>();

export function setUnseen(count: number): void {
  if (count !== unseen) {
    unseen = count;
    for (const listener of listeners) {
      listener();
    }
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useUnseen(): number {
  return useSyncExternalStore(subscribe, () => unseen);
}
