import { useEffect, useState } from 'react';
import type { Branding, Status } from '../shared/api/schema';
import type { Later } from './use-later';

export type Reach = 'checking' | 'online' | 'demo' | 'offline';

export function reachOf(database: Status['database']): Reach {
  return database === 'unavailable' ? 'offline' : database;
}

/** Starts from `checking`, so that the first render equals the prerendered page; `initial` follows at once. */
export function useStatus(
  initial: Status,
  later: Later | null,
  onBranding: (branding: Branding) => void,
): Reach {
  const [reach, setReach] = useState<Reach>('checking');
  useEffect(() => setReach(reachOf(initial.database)), [initial]);
  useEffect(() => later?.watchStatus(initial, setReach, onBranding), [later, initial, onBranding]);
  return reach;
}
