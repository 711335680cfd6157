/** Whether urgent reports stand on top of the newest: each browser's own way, kept there. */
import { useSyncExternalStore } from 'react';
import { slugOf } from '../../shared/lib/slug';
import { openStore, readJson, writeJson } from '../../shared/lib/storage';
import { useBranding } from '../common/branding';

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useUrgentFirst(): [boolean, (on: boolean) => void] {
  const key = `${slugOf(useBranding().productName)}_urgent_first`;
  const on = useSyncExternalStore(subscribe, () => readJson(openStore('localStorage'), key) !== false);
  const choose = (to: boolean) => {
    writeJson(openStore('localStorage'), key, to);
    for (const listener of listeners) {
      listener();
    }
  };
  return [on, choose];
}
