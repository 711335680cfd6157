/** What siege mode has set aside, looked at again every ten seconds. */
import { useRead } from '../common/use-read';

const LOOK_MS = 10_000;

export const useSieges = () => useRead('/sieges', { background: true, refetchInterval: LOOK_MS });
