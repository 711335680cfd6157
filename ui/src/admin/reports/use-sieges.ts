import { useRights } from '../common/session/session-context';
import { useRead } from '../common/use-read';

const LOOK_MS = 10_000;

/** For administrators; the others are not told. */
export const useSieges = () =>
  useRead('/sieges', {
    background: true,
    staleTime: LOOK_MS,
    refetchInterval: LOOK_MS,
    enabled: useRights().administers,
  });
