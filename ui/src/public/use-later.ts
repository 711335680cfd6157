/** Brings what the first moment of the page does not need. */
import { usePart } from './use-part';

export type Later = typeof import('./later');

export const useLater = (): Later | null => usePart(true, () => import('./later'));
