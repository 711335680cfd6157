/** How long reports are kept, as the panel reads it. Must never decide by itself what goes: the server says so. */
import type { Retention } from '../../shared/api/schema';
import { useRead } from './use-read';

/** Pause between two questions, in milliseconds: what goes by days does not change by seconds. */
const EVERY = { refetchInterval: 60_000 };

/** What the age of reports erases soon, and has erased. */
export const useRetention = () => useRead('/retention', { ...EVERY, background: true });

/** The reports that go soon, the first to go first. */
export const useExpiring = () => useRead('/retention/reports', EVERY);

/** How many go, as a sentence. */
export function warningOf({ warned, warningDays }: Retention): string {
  return warned === 1
    ? `Una segnalazione verrà cancellata entro ${warningDays} giorni.`
    : `${warned} segnalazioni verranno cancellate entro ${warningDays} giorni.`;
}
