/**
 * What sends kept reports and tells of them, loaded right after the page came to life: hardly anyone ever needs it, but
 * whoever does has no line to load it over. Should even that load fail, it is tried again with each change of the line.
 */
import { type ComponentType, useEffect, useState } from 'react';
import type { KeptNoticesProps } from './kept-notices';

export function Kept(props: KeptNoticesProps) {
  const [Notices, setNotices] = useState<ComponentType<KeptNoticesProps> | null>(null);
  const { reachable, ownId } = props;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a line that comes back is the moment to try again
  useEffect(() => {
    if (Notices === null) {
      import('./kept-notices').then(
        (module) => setNotices(() => module.KeptNotices),
        // Nothing to say: the sentence below stands until a later try succeeds.
        () => undefined,
      );
    }
  }, [Notices, reachable]);

  if (Notices !== null) {
    return <Notices {...props} />;
  }
  return ownId === null ? null : (
    <p role="status">
      La tua segnalazione è conservata in questo browser e partirà da sola appena possibile.
    </p>
  );
}
